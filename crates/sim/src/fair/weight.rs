//! Load weights and the scaled division that turns CPU time into virtual time (spec ch. 1).
//!
//! The arithmetic is the kernel's, with its rounding: `delta · 1024 / weight` is *not* what it
//! computes.

use crate::units::{Nice, Span};

/// Weight of nice 0.
pub const NICE_0: u32 = 1024;

/// Weight by nice, row = nice + 20 (R1.1).
pub const WEIGHTS: [u32; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906, 3121, 2501, 1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87,
    70, 56, 45, 36, 29, 23, 18, 15,
];

/// 2^32 / weight by nice, row = nice + 20, verbatim: not all rows are rounded the same way (R1.1).
pub const INVERSES: [u32; 40] = [
    48388, 59856, 76040, 92818, 118348, 147320, 184698, 229616, 287308, 360437, 449829, 563644,
    704093, 875809, 1099582, 1376151, 1717300, 2157191, 2708050, 3363326, 4194304, 5237765,
    6557202, 8165337, 10153587, 12820798, 15790321, 19976592, 24970740, 31350126, 39045157,
    49367440, 61356676, 76695844, 95443717, 119304647, 148102320, 186737708, 238609294, 286331153,
];

/// Weight of a task of policy SCHED_IDLE, whatever its nice (R1.1).
pub const WEIGHT_IDLE: u32 = 3;
/// 2^32 / weight of SCHED_IDLE (R1.1).
pub const INVERSE_IDLE: u32 = 1_431_655_765;

/// The weight of a nice level: 1024 at nice 0, 15 … 88761.
#[must_use]
pub const fn weight(nice: Nice) -> u32 {
    WEIGHTS[nice.index()]
}

/// The tabled inverse of a nice level's weight.
#[must_use]
pub const fn inverse(nice: Nice) -> u32 {
    INVERSES[nice.index()]
}

/// The inverse of a load that has no table entry: ⌊(2^32 − 1) / load⌋, at least 1 (R1.3.1).
#[must_use]
pub const fn inverse_of(load: u64) -> u32 {
    match load {
        0 => u32::MAX,
        1..=0xffff_fffe => (u32::MAX as u64 / load) as u32,
        _ => 1,
    }
}

/// `calc_delta_fair()` of 3.x … 6.19: `delta` ns of CPU time as virtual time of an entity with this
/// weight and inverse (R1.3.3). Exact at nice 0, rounded down elsewhere.
#[must_use]
pub const fn calc_delta_fair(delta: u64, weight: u32, inverse: u32) -> u64 {
    if weight == NICE_0 {
        delta
    } else if delta <= u32::MAX as u64 {
        // The factor 1024 · inverse has ten zero bits at its end: the kernel's normalising shifts
        // lose nothing, and this is their result.
        (delta * inverse as u64) >> 22
    } else {
        ((delta as u128 * inverse as u128) >> 22) as u64
    }
}

/// `__calc_delta()` of 3.x … 6.19: about `delta · weight / load`, every stage rounded down
/// (R1.3.2).
#[must_use]
pub const fn calc_delta(delta: u64, weight: u32, load: u64) -> u64 {
    let mut factor = weight as u64 * inverse_of(load) as u64;
    let mut shift = 32;
    let high = factor >> 32;
    if high != 0 {
        let bits = u64::BITS - high.leading_zeros();
        shift -= bits;
        factor >>= bits;
    }
    ((delta as u128 * factor as u128) >> shift) as u64
}

/// The inverse of a queue's load in 2.6.36: 1 + ⌊(2^32 − ⌊load/2⌋) / (load + 1)⌋ (R1.4.1). Biased
/// low: that of 1024 is not the table's.
#[must_use]
pub const fn inverse_of_2_6_36(load: u64) -> u32 {
    const SCALE: u64 = 1 << 32;
    if load >= SCALE { 1 } else { 1 + ((SCALE - load / 2) / (load + 1)) as u32 }
}

/// `calc_delta_mine()` of 2.6.36 on 64 bits: about `delta · weight · inverse / 2^32`, rounded half
/// up (R1.4.2).
#[must_use]
pub const fn calc_delta_2_6_36(delta: u64, weight: u32, inverse: u32) -> u64 {
    let product = delta.wrapping_mul(weight as u64);
    let result = if product > 1 << 32 {
        shift_round(shift_round(product, 16).wrapping_mul(inverse as u64), 16)
    } else {
        shift_round(product.wrapping_mul(inverse as u64), 32)
    };
    if result > i64::MAX as u64 { i64::MAX as u64 } else { result }
}

/// `calc_delta_fair()` of 2.6.36 (R1.4.3).
#[must_use]
pub const fn calc_delta_fair_2_6_36(delta: u64, weight: u32, inverse: u32) -> u64 {
    if weight == NICE_0 { delta } else { calc_delta_2_6_36(delta, NICE_0, inverse) }
}

/// A request from a latency-nice value, as the 2023 proposals had it: base · 1024 / weight of that
/// row, rounded down (R4.A.1).
#[must_use]
pub const fn latency_nice_slice(base_slice: Span, latency_nice: crate::units::LatencyNice) -> Span {
    Span(base_slice.0 * NICE_0 as u64 / WEIGHTS[latency_nice.index()] as u64)
}

/// `value / 2^bits`, rounded half up, modulo 2^64.
const fn shift_round(value: u64, bits: u32) -> u64 {
    value.wrapping_add(1 << (bits - 1)) >> bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nice(value: i8) -> (u32, u32) {
        let nice = Nice::new(value).unwrap();
        (weight(nice), inverse(nice))
    }

    #[track_caller]
    fn check(level: i8, delta: u64, expect: u64) {
        let (weight, inverse) = nice(level);
        assert_eq!(calc_delta_fair(delta, weight, inverse), expect);
    }

    #[test]
    fn worked_examples() {
        check(5, 1_000_000, 3_056_716);
        check(-5, 3_000_000, 984_299);
        check(19, 4_000_000, 273_066_666);
        check(-20, 12_345_678, 142_427);
        assert_eq!(calc_delta_fair(1_000_000, WEIGHT_IDLE, INVERSE_IDLE), 341_333_333);
    }

    #[test]
    fn fast_path_equals_wide_path() {
        for level in -20..=19 {
            let (weight, inverse) = nice(level);
            for delta in [0, 1, 4096, u64::from(u32::MAX), 1 << 32, (1 << 32) + 1] {
                let wide = ((u128::from(delta) * u128::from(inverse)) >> 22) as u64;
                let expect = if weight == NICE_0 { delta } else { wide };
                assert_eq!(calc_delta_fair(delta, weight, inverse), expect);
            }
        }
    }

    #[test]
    fn shares_lie_below_the_ideal() {
        assert_eq!(calc_delta(24_000_000, 1024, 2048), 11_999_994);
        assert_eq!(calc_delta(24_000_000, 1024, 3072), 7_999_998);
        assert_eq!(calc_delta_2_6_36(6_000_000, 1024, inverse_of_2_6_36(2048)), 2_998_537);
    }
}
