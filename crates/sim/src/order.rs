//! Sorting, in one place: the standard library's sort is compiled anew for each type and each
//! comparison, some kB a time, which the page would have to load. Here one instance sorts numbers
//! of places, and the things follow. For long lists of plain numbers the standard one is quicker.

use std::cmp::Ordering;

/// Sorts by a comparison; what is equal keeps its order.
///
/// # Panics
/// With more than 2³² things.
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let sources = sources(list.len(), &mut |a, b| compare(&list[a], &list[b]));
    arrange(list, sources);
}

/// Sorts by a key; what is equal keeps its order.
///
/// # Panics
/// With more than 2³² things.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// Sorts; what is equal keeps its order.
///
/// # Panics
/// With more than 2³² things.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, T::cmp);
}

/// A tree of these things, put in one by one: `collect` would sort them first.
#[must_use]
pub fn tree<T, C: Default + Extend<T>>(things: impl IntoIterator<Item = T>) -> C {
    let mut tree = C::default();
    tree.extend(things);
    tree
}

/// Of each place the one whose thing belongs there.
fn sources(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<u32> {
    let len = u32::try_from(len).expect("fewer than 2³² things");
    let mut sources: Vec<u32> = (0..len).collect();
    sources.sort_by(|&a, &b| compare(a as usize, b as usize));
    sources
}

/// Brings each thing to its place, going round the cycles.
fn arrange<T>(list: &mut [T], mut sources: Vec<u32>) {
    for first in 0..list.len() {
        let mut at = first;
        while sources[at] as usize != first {
            let source = sources[at] as usize;
            list.swap(at, source);
            sources[at] = at as u32;
            at = source;
        }
        sources[at] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(list: &[(u8, char)]) {
        let mut expected = list.to_vec();
        expected.sort_by_key(|thing| thing.0);
        let mut sorted = list.to_vec();
        sort_by_key(&mut sorted, |thing| thing.0);
        assert_eq!(sorted, expected, "{list:?}");
    }

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        check(&[]);
        check(&[(1, 'a')]);
        check(&[(2, 'a'), (1, 'b')]);
        check(&[(3, 'a'), (1, 'b'), (2, 'c')]);
        check(&[(1, 'a'), (0, 'b'), (1, 'c'), (0, 'd'), (1, 'e')]);
        // All orders of five things, some of them equal.
        for n in 0..3_125_u32 {
            let digit = |i: u32| (n / 5_u32.pow(i) % 5) as u8;
            let list: Vec<(u8, char)> =
                (0..5).map(|i| (digit(i), char::from(b'a' + i as u8))).collect();
            check(&list);
        }
    }

    #[test]
    fn the_comparison_may_run_backwards() {
        let mut list = vec!["b".to_owned(), "c".to_owned(), "a".to_owned()];
        sort_by(&mut list, |a, b| b.cmp(a));
        assert_eq!(list, ["c", "b", "a"]);
    }
}
