//! The run's only source of chance: xoshiro256** by Blackman and Vigna, seeded through splitmix64.
//!
//! Ours and inside the state, so that no release of a library can change a run that a link
//! restores.

/// A seeded generator; part of [`crate::state::State`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rng {
    s: [u64; 4],
}

impl Rng {
    /// A generator for this seed.
    #[must_use]
    pub fn new(seed: u64) -> Rng {
        let mut x = seed;
        let s = core::array::from_fn(|_| {
            x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        });
        Rng { s }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = &mut self.s;
        let out = s1.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= t;
        *s3 = s3.rotate_left(45);
        out
    }

    /// A value of `lo ..= hi`, all equally likely up to 2^-64.
    ///
    /// # Panics
    /// If `lo > hi`.
    pub fn range(&mut self, lo: u64, hi: u64) -> u64 {
        assert!(lo <= hi, "empty range {lo}..={hi}");
        let width = u128::from(hi - lo) + 1;
        lo + ((u128::from(self.next_u64()) * width) >> 64) as u64
    }

    /// An exponential value with this mean, cut at 16 means: −mean · ln(u) by a 32-bit fixed-point
    /// logarithm (bit by bit squaring), the same on every machine.
    pub fn exponential(&mut self, mean: u64) -> u64 {
        // u in (0, 1] as a 32-bit fraction; −log2(u) = (32 − integer part) − fraction.
        let u = (self.next_u64() >> 32) + 1;
        let log = log2_fixed(u); // 32.32 fixed point, 0 ..= 32
        let minus_log2 = (32u64 << 32) - log;
        // ln 2 = 0.693147… in 32.32 fixed point.
        let minus_ln = (u128::from(minus_log2) * 2_977_044_472) >> 32;
        let value = (u128::from(mean) * minus_ln) >> 32;
        value.min(u128::from(mean) * 16) as u64
    }
}

/// log2 of `x` ≥ 1 in 32.32 fixed point.
fn log2_fixed(x: u64) -> u64 {
    assert!(x >= 1);
    let whole = u64::from(63 - x.leading_zeros());
    let mut y = (u128::from(x) << 32) >> whole; // 1 ≤ y < 2 in 32.32
    let mut fraction = 0u64;
    for bit in (0..32).rev() {
        y = (y * y) >> 32;
        if y >= 2 << 32 {
            y >>= 1;
            fraction |= 1 << bit;
        }
    }
    (whole << 32) | fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_stream() {
        // The reference implementation's output for state {1, 2, 3, 4}.
        let mut rng = Rng { s: [1, 2, 3, 4] };
        let out: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        assert_eq!(out, [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn range_stays_inside_and_reaches_both_ends() {
        let mut rng = Rng::new(7);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[(rng.range(10, 14) - 10) as usize] = true;
        }
        assert_eq!(seen, [true; 5]);
    }

    #[test]
    fn exponential_has_its_mean() {
        let mut rng = Rng::new(1);
        let n = 100_000u64;
        let sum: u64 = (0..n).map(|_| rng.exponential(1_000_000)).sum();
        let mean = sum / n;
        assert!((985_000..1_015_000).contains(&mean), "mean {mean}");
    }

    #[test]
    fn logarithm_of_powers() {
        for k in 0..40 {
            assert_eq!(log2_fixed(1 << k), k << 32);
        }
    }
}
