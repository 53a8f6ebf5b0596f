//! A set of CPUs: affinity masks, domain spans, scan masks.

use crate::units::{CPUS_MAX, CpuId};

const WORDS: usize = CPUS_MAX / 64;

/// A set of CPUs as a bit mask. Iterates in ascending order; [`CpuSet::wrap_from`] is the kernel's
/// `for_each_cpu_wrap`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuSet {
    words: [u64; WORDS],
}

impl Default for CpuSet {
    fn default() -> Self {
        CpuSet::EMPTY
    }
}

impl core::fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_set().entries(self.iter().map(|cpu| cpu.0)).finish()
    }
}

impl CpuSet {
    /// No CPU.
    pub const EMPTY: CpuSet = CpuSet { words: [0; WORDS] };

    /// CPUs `0 … n − 1`.
    ///
    /// # Panics
    /// If `n` exceeds [`CPUS_MAX`].
    #[must_use]
    pub fn first(n: usize) -> CpuSet {
        assert!(n <= CPUS_MAX, "{n} CPUs, more than {CPUS_MAX}");
        let mut set = CpuSet::EMPTY;
        for (i, word) in set.words.iter_mut().enumerate() {
            let bits = n.saturating_sub(i * 64).min(64);
            *word = if bits == 64 { u64::MAX } else { (1u64 << bits) - 1 };
        }
        set
    }

    /// Just one CPU.
    #[must_use]
    pub fn one(cpu: CpuId) -> CpuSet {
        let mut set = CpuSet::EMPTY;
        set.insert(cpu);
        set
    }

    /// Adds a CPU.
    pub fn insert(&mut self, cpu: CpuId) {
        self.words[cpu.index() / 64] |= 1 << (cpu.index() % 64);
    }

    /// Takes a CPU out.
    pub fn remove(&mut self, cpu: CpuId) {
        self.words[cpu.index() / 64] &= !(1 << (cpu.index() % 64));
    }

    /// Adds a CPU or takes it out.
    pub fn set(&mut self, cpu: CpuId, member: bool) {
        if member {
            self.insert(cpu);
        } else {
            self.remove(cpu);
        }
    }

    /// Whether the CPU is in the set.
    #[must_use]
    pub fn contains(&self, cpu: CpuId) -> bool {
        self.words[cpu.index() / 64] >> (cpu.index() % 64) & 1 == 1
    }

    /// How many CPUs are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no CPU is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().fold(0, |all, word| all | word) == 0
    }

    /// Whether exactly one CPU is in the set.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.lowest().is_some_and(|first| self.next_from(first.index() + 1).is_none())
    }

    /// The smallest CPU.
    #[must_use]
    pub fn lowest(&self) -> Option<CpuId> {
        self.next_from(0)
    }

    /// The CPUs in both sets.
    #[must_use]
    pub fn and(&self, other: &CpuSet) -> CpuSet {
        self.zip(other, |a, b| a & b)
    }

    /// The CPUs in either set.
    #[must_use]
    pub fn or(&self, other: &CpuSet) -> CpuSet {
        self.zip(other, |a, b| a | b)
    }

    /// The CPUs of this set that are not in `other`.
    #[must_use]
    pub fn minus(&self, other: &CpuSet) -> CpuSet {
        self.zip(other, |a, b| a & !b)
    }

    /// Whether the sets share a CPU.
    #[must_use]
    pub fn intersects(&self, other: &CpuSet) -> bool {
        self.words.iter().zip(&other.words).fold(0, |all, (a, b)| all | a & b) != 0
    }

    /// Whether every CPU of this set is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &CpuSet) -> bool {
        self.words.iter().zip(&other.words).fold(0, |all, (a, b)| all | a & !b) == 0
    }

    /// The smallest CPU of the set that is at least `start`.
    #[must_use]
    pub fn next_from(&self, start: usize) -> Option<CpuId> {
        let mut i = start / 64;
        if i >= WORDS {
            return None;
        }
        let mut word = self.words[i] & (u64::MAX << (start % 64));
        loop {
            if word != 0 {
                return Some(CpuId((i * 64) as u16 + word.trailing_zeros() as u16));
            }
            i += 1;
            if i == WORDS {
                return None;
            }
            word = self.words[i];
        }
    }

    /// The CPUs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = CpuId> + '_ {
        let mut at = 0;
        core::iter::from_fn(move || {
            let cpu = self.next_from(at)?;
            at = cpu.index() + 1;
            Some(cpu)
        })
    }

    /// The CPUs in ascending order from the first that is at least `start`, wrapping once.
    pub fn wrap_from(&self, start: usize) -> impl Iterator<Item = CpuId> + '_ {
        let (mut at, mut wrapped) = (start, false);
        core::iter::from_fn(move || {
            loop {
                match self.next_from(at) {
                    Some(cpu) if !wrapped || cpu.index() < start => {
                        at = cpu.index() + 1;
                        return Some(cpu);
                    }
                    None if !wrapped => (at, wrapped) = (0, true),
                    _ => return None,
                }
            }
        })
    }

    fn zip(&self, other: &CpuSet, f: impl Fn(u64, u64) -> u64) -> CpuSet {
        let mut words = [0; WORDS];
        for (word, (a, b)) in words.iter_mut().zip(self.words.iter().zip(&other.words)) {
            *word = f(*a, *b);
        }
        CpuSet { words }
    }
}

impl FromIterator<CpuId> for CpuSet {
    fn from_iter<I: IntoIterator<Item = CpuId>>(cpus: I) -> CpuSet {
        let mut set = CpuSet::EMPTY;
        cpus.into_iter().for_each(|cpu| set.insert(cpu));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cpus: &[u16]) -> CpuSet {
        cpus.iter().map(|&cpu| CpuId(cpu)).collect()
    }

    #[track_caller]
    fn check_wrap(cpus: &[u16], start: usize, expect: &[u16]) {
        let order: Vec<u16> = set(cpus).wrap_from(start).map(|cpu| cpu.0).collect();
        assert_eq!(order, expect);
    }

    #[test]
    fn wrap_visits_each_once() {
        check_wrap(&[1, 5, 130], 5, &[5, 130, 1]);
        check_wrap(&[1, 5, 130], 6, &[130, 1, 5]);
        check_wrap(&[1, 5, 130], 131, &[1, 5, 130]);
        check_wrap(&[1, 5, 130], 1024, &[1, 5, 130]);
        check_wrap(&[0], 0, &[0]);
        check_wrap(&[], 3, &[]);
    }

    #[test]
    fn first_counts() {
        assert_eq!(CpuSet::first(0).len(), 0);
        assert_eq!(CpuSet::first(64).len(), 64);
        assert_eq!(CpuSet::first(65).iter().last(), Some(CpuId(64)));
        assert_eq!(CpuSet::first(CPUS_MAX).len(), CPUS_MAX);
        let ones = [0, 1, 2, 65].map(|n| CpuSet::first(n).is_one());
        assert_eq!(ones, [false, true, false, false]);
        assert!(set(&[700]).is_one() && !set(&[3, 700]).is_one());
    }
}
