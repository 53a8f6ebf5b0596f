//! CPU lists with ranges, as the kernel and taskset write them: "0-15,128-143".

use crate::duration::clip;
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::units::{CPUS_MAX, CpuId};

/// Reads a set of CPUs. Stepped ranges ("0-14:2") are understood too.
///
/// # Errors
/// A sentence, if the text is no list of CPUs below [`CPUS_MAX`].
pub fn parse(text: &str) -> Result<CpuSet, String> {
    let mut set = CpuSet::EMPTY;
    for_each_item(text, &mut |first, last, step| {
        (first..=last).step_by(usize::from(step)).for_each(|cpu| set.insert(CpuId(cpu)));
    })?;
    Ok(set)
}

/// Writes a set of CPUs, ascending, three or more in a row as a range; nothing for no CPU.
#[must_use]
pub fn format(cpus: &CpuSet) -> String {
    format_order(&cpus.iter().map(|cpu| cpu.0).collect::<Vec<_>>())
}

/// Reads CPUs in the order in which they are written; a CPU may come twice.
///
/// # Errors
/// As [`parse`]; also if there are more than 8192.
pub fn parse_order(text: &str) -> Result<Vec<u16>, String> {
    const MANY: usize = 8192;
    let mut cpus = Vec::new();
    for_each_item(text, &mut |first, last, step| {
        if cpus.len() <= MANY {
            cpus.extend((first..=last).step_by(usize::from(step)));
        }
    })?;
    if cpus.len() > MANY {
        return Err(format!("this list names more than {MANY} CPUs."));
    }
    Ok(cpus)
}

/// Writes CPUs in their order, ascending neighbours as ranges.
#[must_use]
pub fn format_order(cpus: &[u16]) -> String {
    let mut text = String::new();
    let mut rest = cpus;
    while let [first, ..] = rest {
        let ascending = |pair: &[u16]| pair[0].checked_add(1) == Some(pair[1]);
        let run = 1 + rest.windows(2).take_while(|pair| ascending(pair)).count();
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&first.to_string());
        if run > 1 {
            text.push_str(&format!("-{}", rest[run - 1]));
        }
        rest = &rest[run..];
    }
    text
}

/// Calls back with the first, the last and the step of each item.
fn for_each_item(text: &str, item: &mut dyn FnMut(u16, u16, u16)) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("the list names no CPU; write one such as 0-15,128-143.".to_string());
    }
    for part in text.split(',') {
        let part = part.trim();
        let (range, step) = match part.split_once(':') {
            Some((range, step)) => (range, number(step, part)?),
            None => (part, 1),
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (number(first, part)?, number(last, part)?),
            None => (number(range, part)?, number(range, part)?),
        };
        if first > last {
            return Err(format!("\"{part}\" runs backwards; write {last}-{first}."));
        }
        if step == 0 {
            return Err(format!("\"{part}\" has a step of 0; the smallest is 1."));
        }
        item(first, last, step);
    }
    Ok(())
}

fn number(text: &str, part: &str) -> Result<u16, String> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let part = clip(part);
        return Err(format!(
            "\"{part}\" is no CPU and no range of CPUs; write a list such as 0-15,128-143."
        ));
    }
    match text.parse::<u16>() {
        Ok(cpu) if usize::from(cpu) < CPUS_MAX => Ok(cpu),
        _ => Err(format!("CPU {} is beyond the largest, {}.", clip(text), CPUS_MAX - 1)),
    }
}

/// For serde: a set as its list; the empty set as the empty text.
pub(crate) mod as_text {
    use super::CpuSet;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    pub(crate) fn serialize<S: Serializer>(set: &CpuSet, to: S) -> Result<S::Ok, S::Error> {
        super::format(set).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<CpuSet, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() {
            return Ok(CpuSet::EMPTY);
        }
        super::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(parse(text).map(|set| format(&set)), Ok(expect.to_string()));
    }

    #[track_caller]
    fn check_wrong(text: &str, expect: &str) {
        assert_eq!(parse(text), Err(expect.to_string()));
    }

    #[test]
    fn lists() {
        check("0-15,128-143", "0-15,128-143");
        check(" 3 , 1,2", "1-3");
        check("0-6:2", "0,2,4,6");
        check("1023", "1023");
        assert_eq!(parse_order("3,0-2,3"), Ok(vec![3, 0, 1, 2, 3]));
        assert_eq!(format_order(&[3, 0, 1, 2, 3]), "3,0-3");
    }

    #[test]
    fn wrong_lists() {
        let write = "write a list such as 0-15,128-143.";
        check_wrong("", "the list names no CPU; write one such as 0-15,128-143.");
        check_wrong("0-", &format!("\"0-\" is no CPU and no range of CPUs; {write}"));
        check_wrong("a", &format!("\"a\" is no CPU and no range of CPUs; {write}"));
        check_wrong("1,,2", &format!("\"\" is no CPU and no range of CPUs; {write}"));
        check_wrong("7-3", "\"7-3\" runs backwards; write 3-7.");
        check_wrong("1024", "CPU 1024 is beyond the largest, 1023.");
        check_wrong("99999999999", "CPU 99999999999 is beyond the largest, 1023.");
        check_wrong("0-8:0", "\"0-8:0\" has a step of 0; the smallest is 1.");
    }

    proptest! {
        #[test]
        fn read_what_was_written(cpus in proptest::collection::vec(0..1024u16, 1..60)) {
            prop_assert_eq!(parse_order(&format_order(&cpus)), Ok(cpus.clone()));
            let set: CpuSet = cpus.into_iter().map(CpuId).collect();
            prop_assert_eq!(parse(&format(&set)), Ok(set));
        }

        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = parse_order(&text);
        }
    }
}
