//! Numbers and lists in sentences: units, signs and joints as the interface's wording rules ask.
//!
//! A value keeps its sign and unit on one line: they are joined by no-break spaces. Minus is
//! U+2212.

use schedscope_sim::cpu_set::CpuSet;

/// No-break space.
pub const NBSP: char = '\u{a0}';
/// Narrow no-break space, between groups of three digits.
pub const THIN: char = '\u{202f}';
/// The minus sign.
pub const MINUS: char = '\u{2212}';

/// A number with its sign if negative: `−20`.
#[must_use]
pub fn signed(value: i64) -> String {
    if value < 0 { format!("{MINUS}{}", value.unsigned_abs()) } else { value.to_string() }
}

/// A count with groups of three digits: `1 203`.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    out
}

/// A signed count with groups of three digits: `−1 203`.
#[must_use]
pub fn signed_count(value: i64) -> String {
    let sign = if value < 0 { "\u{2212}" } else { "" };
    format!("{sign}{}", count(value.unsigned_abs()))
}

/// `value / unit` with two decimals, rounded half up.
fn two_decimals(value: u64, unit: u64) -> String {
    let hundredths = (u128::from(value) * 100 + u128::from(unit) / 2) / u128::from(unit);
    format!("{}.{:02}", count((hundredths / 100) as u64), hundredths % 100)
}

/// A length of time for reading: `2.78 ms`, below 0.01 ms `3.20 µs`, below 0.1 µs `40 ns`.
#[must_use]
pub fn time(ns: u64) -> String {
    match ns {
        10_000.. => format!("{}{NBSP}ms", two_decimals(ns, 1_000_000)),
        100..10_000 => format!("{}{NBSP}µs", two_decimals(ns, 1_000)),
        _ => format!("{ns}{NBSP}ns"),
    }
}

/// A signed length of time that always carries its sign: `+0.31 ms`, `−0.31 ms`, `±0 ms`.
#[must_use]
pub fn signed_time(ns: i64) -> String {
    match ns {
        0 => format!("±0{NBSP}ms"),
        1.. => format!("+{}", time(ns.unsigned_abs())),
        _ => format!("{MINUS}{}", time(ns.unsigned_abs())),
    }
}

/// A length of time with a sign only if it is negative: `0.31 ms`, `−0.31 ms`.
#[must_use]
pub fn signed_span(ns: i64) -> String {
    if ns < 0 { signed_time(ns) } else { time(ns.unsigned_abs()) }
}

/// A virtual time relative to V: `V + 2.78 ms`, `V − 0.31 ms`, `V`.
#[must_use]
pub fn from_v(ns: i64) -> String {
    from("V", ns)
}

/// A virtual time relative to a named point: `min + 2.78 ms`, `min`.
#[must_use]
pub fn from(point: &str, ns: i64) -> String {
    match ns {
        0 => point.to_owned(),
        1.. => format!("{point}{NBSP}+{NBSP}{}", time(ns.unsigned_abs())),
        _ => format!("{point}{NBSP}{MINUS}{NBSP}{}", time(ns.unsigned_abs())),
    }
}

/// A point in time, exact: `85.482 842 ms`, six decimals, grouped.
#[must_use]
pub fn exact(ns: i64) -> String {
    let sign = if ns < 0 { "\u{2212}" } else { "" };
    let ns = ns.unsigned_abs();
    let (ms, rest) = (ns / 1_000_000, ns % 1_000_000);
    format!("{sign}{}.{:03}{THIN}{:03}{NBSP}ms", count(ms), rest / 1000, rest % 1000)
}

/// `1 task`, `4 tasks`.
#[must_use]
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{}{NBSP}{}", count(n), if n == 1 { one } else { many })
}

/// `A`, `A and B`, `A, B and C`; more than `most` are cut: `A, B and 7 more`.
#[must_use]
pub fn list(items: &[String], most: usize) -> String {
    if items.len() > most && most > 0 {
        let shown = items[..most].join(", ");
        return format!("{shown} and {} more", items.len() - most);
    }
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A CPU set as the kernel prints it: `0-15,128-143`.
#[must_use]
pub fn cpu_list(set: &CpuSet) -> String {
    let mut out = String::new();
    let mut cpus = set.iter().map(|cpu| cpu.0).peekable();
    while let Some(first) = cpus.next() {
        let mut last = first;
        while cpus.next_if_eq(&(last + 1)).is_some() {
            last += 1;
        }
        if !out.is_empty() {
            out.push(',');
        }
        out.push_str(&first.to_string());
        if last > first {
            out.push_str(&format!("-{last}"));
        }
    }
    out
}

/// Parts of 10 000 as a percentage: `37.5 %`.
#[must_use]
pub fn percent(parts: u32) -> String {
    format!("{}.{}{NBSP}%", parts / 100, parts % 100 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedscope_sim::units::CpuId;

    #[track_caller]
    fn check(got: String, expect: &str) {
        assert_eq!(got.replace([NBSP, THIN], " "), expect);
    }

    #[test]
    fn times_have_units_and_signs() {
        check(time(0), "0 ns");
        check(time(99), "99 ns");
        check(time(100), "0.10 µs");
        check(time(9_999), "10.00 µs");
        check(time(10_000), "0.01 ms");
        check(time(2_784_999), "2.78 ms");
        check(time(2_785_000), "2.79 ms");
        check(time(1_234_567_000_000), "1 234 567.00 ms");
        check(signed_time(-310_000), "−0.31 ms");
        check(signed_time(310_000), "+0.31 ms");
        check(signed_time(0), "±0 ms");
        check(from_v(2_780_000), "V + 2.78 ms");
        check(from_v(-1), "V − 1 ns");
        check(exact(85_482_842), "85.482 842 ms");
        check(exact(-1_048_576), "−1.048 576 ms");
    }

    #[test]
    fn counts_and_lists() {
        check(count(7), "7");
        check(count(1_203), "1 203");
        check(count(1_000_000), "1 000 000");
        check(plural(1, "task", "tasks"), "1 task");
        check(plural(0, "task", "tasks"), "0 tasks");
        let names = |n: usize| ["A", "B", "C", "D"][..n].iter().map(|s| (*s).to_owned()).collect();
        let list = |n, most| super::list(&Vec::<String>::clone(&names(n)), most);
        check(list(0, 3), "");
        check(list(1, 3), "A");
        check(list(2, 3), "A and B");
        check(list(3, 3), "A, B and C");
        check(list(4, 3), "A, B, C and 1 more");
        check(percent(3754), "37.5 %");
    }

    #[test]
    fn cpu_lists_have_ranges() {
        let set = |cpus: &[u16]| cpus.iter().map(|&cpu| CpuId(cpu)).collect::<CpuSet>();
        check(cpu_list(&set(&[])), "");
        check(cpu_list(&set(&[3])), "3");
        check(cpu_list(&set(&[0, 1, 2, 128, 130, 131])), "0-2,128,130-131");
    }
}
