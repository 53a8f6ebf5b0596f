//! Numbers for people: milliseconds, virtual times, durations, counts and CPU lists.
//!
//! All figures come in as exact integers and are rounded here, at the last moment, half away from
//! zero. Minus is U+2212. Values stay on one line with their unit: spaces inside are no-break
//! (U+00A0) and digits are grouped by a narrow no-break space (U+202F).

/// Minus sign.
pub const MINUS: char = '\u{2212}';
/// Space that keeps a value and its unit on one line.
pub const NO_BREAK: char = '\u{a0}';
/// Space between groups of digits.
pub const THIN: char = '\u{202f}';

/// Nanoseconds in a millisecond.
const MS: u128 = 1_000_000;

/// A quotient with so many decimals, rounded half away from zero.
fn decimal(value: u128, unit: u128, decimals: usize) -> String {
    let scale = 10u128.pow(decimals as u32);
    let rounded = (value * scale * 2 + unit) / (unit * 2);
    if decimals == 0 {
        return rounded.to_string();
    }
    format!("{}.{:0decimals$}", rounded / scale, rounded % scale)
}

/// Time in ms with so many decimals, no unit: `85.48`.
#[must_use]
pub fn ms(ns: u64, decimals: usize) -> String {
    decimal(u128::from(ns), MS, decimals)
}

/// A difference in ms with its sign and two decimals, no unit: `+2.78`, `−0.31`, `0.00`.
///
/// Only an exact zero goes without a sign: `−0.00` is a little below zero, and that little decides
/// whether a task is eligible.
#[must_use]
pub fn signed_ms(ns: i64) -> String {
    format!("{}{}", sign(ns), decimal(u128::from(ns.unsigned_abs()), MS, 2))
}

fn sign(value: i64) -> &'static str {
    match value.signum() {
        1 => "+",
        -1 => "\u{2212}",
        _ => "",
    }
}

/// A virtual time relative to V, rounded: `V + 2.78 ms`, `V − 0.22 ms`, `V`.
#[must_use]
pub fn relative(ns: i64) -> String {
    relative_with(ns, &decimal(u128::from(ns.unsigned_abs()), MS, 2))
}

/// A virtual time relative to V, exact: `V + 2.781 204 ms`.
#[must_use]
pub fn relative_exact(ns: i64) -> String {
    relative_with(ns, &absolute(ns.unsigned_abs()))
}

fn relative_with(ns: i64, magnitude: &str) -> String {
    match sign(ns) {
        "" => "V".to_string(),
        sign => format!("V{NO_BREAK}{sign}{NO_BREAK}{magnitude}{NO_BREAK}ms"),
    }
}

/// A signed difference in ms, exact, with its unit: `+0.219 334 ms`.
#[must_use]
pub fn signed_exact(ns: i64) -> String {
    format!("{}{NO_BREAK}ms", exact_ms(ns))
}

/// A signed difference in ms, exact, without a unit: `+0.219 334`.
#[must_use]
pub fn exact_ms(ns: i64) -> String {
    format!("{}{}", sign(ns), absolute(ns.unsigned_abs()))
}

/// Time since the start of the run in ms with six decimals, no unit: `85.482 842`.
#[must_use]
pub fn absolute(ns: u64) -> String {
    let (whole, rest) = (ns / 1_000_000, ns % 1_000_000);
    format!("{}.{:03}{THIN}{:03}", count(whole), rest / 1000, rest % 1000)
}

/// Time for the playhead's flag: ms with three decimals, `85.483`.
#[must_use]
pub fn clock(ns: u64) -> String {
    ms(ns, 3)
}

/// A length of time with the unit that suits it: `0`, `800 ns`, `1.2 µs`, `38 µs`, `3.86 ms`,
/// `24.1 ms`, `1.20 s`.
#[must_use]
pub fn duration(ns: u64) -> String {
    let value = u128::from(ns);
    let (number, unit) = match ns {
        0 => return "0".to_string(),
        1..=999 => (ns.to_string(), "ns"),
        1_000..=9_949 => (decimal(value, 1_000, 1), "µs"),
        9_950..=999_499 => (decimal(value, 1_000, 0), "µs"),
        999_500..=99_994_999 => (decimal(value, MS, 2), "ms"),
        99_995_000..=999_949_999 => (decimal(value, MS, 1), "ms"),
        _ => (decimal(value, 1_000_000_000, 2), "s"),
    };
    format!("{number}{NO_BREAK}{unit}")
}

/// A stretch of the run: `0–100 ms`, `74.2–98 ms`. As many decimals as it takes, at most three.
#[must_use]
pub fn span_ms(from: u64, to: u64) -> String {
    format!("{}–{}{NO_BREAK}ms", short_ms(from), short_ms(to))
}

/// ms with up to three decimals and no trailing zeros: `100`, `74.2`, `0.125`.
#[must_use]
pub fn short_ms(ns: u64) -> String {
    trim(ms(ns, 3))
}

/// Drops zeros at the end of a decimal fraction.
fn trim(text: String) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// A slice as the task list shows it: ms with two decimals, `3.00`, and the unit is in the header.
#[must_use]
pub fn slice_ms(ns: u64) -> String {
    ms(ns, 2)
}

/// A label on the axis of virtual time: `V` at 0, else sign and as many decimals as steps of this
/// size need.
#[must_use]
pub fn tick(ns: i64, step: i64) -> String {
    if ns == 0 {
        return "V".to_string();
    }
    let decimals = decimals_of(step.unsigned_abs());
    format!("{}{}", sign(ns), decimal(u128::from(ns.unsigned_abs()), MS, decimals))
}

/// A label on the ruler of the timeline, ms, with as many decimals as steps of this size need.
#[must_use]
pub fn ruler_tick(ns: u64, step: u64) -> String {
    let decimals = decimals_of(step);
    let text = decimal(u128::from(ns), MS, decimals);
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let whole = group(whole);
    if rest.is_empty() { whole } else { format!("{whole}.{rest}") }
}

/// Decimals of a ms that a step needs.
fn decimals_of(step: u64) -> usize {
    let mut decimals = 0;
    let mut unit = 1_000_000;
    while decimals < 6 && !step.is_multiple_of(unit) {
        unit /= 10;
        decimals += 1;
    }
    decimals
}

/// A count, grouped from 1 000 on: `1 966`.
#[must_use]
pub fn count(n: u64) -> String {
    group(&n.to_string())
}

fn group(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 * 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    out
}

/// A whole number with a proper minus and no plus: nice `−10`, `0`, `5`.
#[must_use]
pub fn integer(n: i64) -> String {
    if n < 0 { format!("{MINUS}{}", n.unsigned_abs()) } else { n.to_string() }
}

/// Parts of 10 000 as a percentage: `79 %`; one decimal below 10, `0.3 %`, and `< 0.1 %`.
#[must_use]
pub fn percent(parts: u32) -> String {
    match parts {
        0 => format!("0{NO_BREAK}%"),
        1..=9 => format!("<{NO_BREAK}0.1{NO_BREAK}%"),
        10..=994 => format!("{}{NO_BREAK}%", trim(decimal(u128::from(parts), 100, 1))),
        _ => format!("{}{NO_BREAK}%", decimal(u128::from(parts), 100, 0)),
    }
}

/// The name of a percentile given in parts of 10 000: `p50`, `p99`, `p99.9`.
#[must_use]
pub fn percentile(parts: u32) -> String {
    format!("p{}", trim(decimal(u128::from(parts), 100, 2)))
}

/// A clock frequency in GHz with one decimal, no unit: `4.7`.
#[must_use]
pub fn ghz(khz: u32) -> String {
    decimal(u128::from(khz), 1_000_000, 1)
}

/// CPU numbers as the kernel lists them: `0-3,8,10-11`. They need not be sorted.
#[must_use]
pub fn cpu_list(cpus: &[u16]) -> String {
    let mut sorted = cpus.to_vec();
    schedscope_sim::order::sort(&mut sorted);
    sorted.dedup();
    let mut parts: Vec<String> = Vec::new();
    let mut rest = sorted.as_slice();
    while let Some(&first) = rest.first() {
        let follows = |(i, cpu): &(usize, &u16)| usize::from(**cpu) == usize::from(first) + i;
        let run = rest.iter().enumerate().take_while(follows).count();
        let last = rest[run - 1];
        parts.push(if run == 1 { first.to_string() } else { format!("{first}-{last}") });
        rest = &rest[run..];
    }
    parts.join(",")
}

/// A number of things in words: `1 task`, `3 tasks`.
#[must_use]
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{}{NO_BREAK}{}", count(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No-break spaces as `_` and thin ones as `'`, so that the tests can be read.
    fn seen(text: impl AsRef<str>) -> String {
        text.as_ref().replace(NO_BREAK, "_").replace(THIN, "'")
    }

    #[test]
    fn ms_rounds_half_away_from_zero() {
        assert_eq!(ms(85_482_842, 2), "85.48");
        assert_eq!(ms(5_000, 2), "0.01");
        assert_eq!(ms(4_999, 2), "0.00");
        assert_eq!(ms(1_500_000, 0), "2");
        assert_eq!(ms(u64::MAX, 0), "18446744073710");
    }

    #[test]
    fn signs_are_kept_but_zero_has_none() {
        assert_eq!(signed_ms(2_781_204), "+2.78");
        assert_eq!(signed_ms(-310_000), "−0.31");
        assert_eq!(signed_ms(0), "0.00");
        assert_eq!(signed_ms(-1), "−0.00");
        assert_eq!(signed_ms(1), "+0.00");
        assert_eq!(signed_ms(i64::MIN), "−9223372036854.78");
    }

    #[test]
    fn relative_to_v_stays_on_one_line() {
        assert_eq!(seen(relative(2_781_204)), "V_+_2.78_ms");
        assert_eq!(seen(relative(-219_334)), "V_−_0.22_ms");
        assert_eq!(seen(relative(0)), "V");
        assert_eq!(seen(relative_exact(-219_334)), "V_−_0.219'334_ms");
        assert_eq!(seen(signed_exact(219_334)), "+0.219'334_ms");
        assert_eq!(seen(signed_exact(0)), "0.000'000_ms");
    }

    #[test]
    fn absolute_time_has_six_grouped_decimals() {
        assert_eq!(seen(absolute(85_482_842)), "85.482'842");
        assert_eq!(seen(absolute(7)), "0.000'007");
        assert_eq!(seen(absolute(1_234_567_000_000)), "1'234'567.000'000");
        assert_eq!(clock(85_482_842), "85.483");
    }

    #[test]
    fn durations_choose_their_unit() {
        let table = [
            (0, "0"),
            (1, "1_ns"),
            (999, "999_ns"),
            (1_000, "1.0_µs"),
            (9_949, "9.9_µs"),
            (9_950, "10_µs"),
            (999_499, "999_µs"),
            (999_500, "1.00_ms"),
            (3_862_000, "3.86_ms"),
            (99_994_999, "99.99_ms"),
            (99_995_000, "100.0_ms"),
            (999_949_999, "999.9_ms"),
            (999_950_000, "1.00_s"),
            (12_345_678_900, "12.35_s"),
        ];
        for (ns, text) in table {
            assert_eq!(seen(duration(ns)), text, "{ns}");
        }
    }

    #[test]
    fn spans_have_no_needless_zeros() {
        assert_eq!(seen(span_ms(0, 100_000_000)), "0–100_ms");
        assert_eq!(seen(span_ms(74_200_000, 98_000_000)), "74.2–98_ms");
        assert_eq!(short_ms(125_000), "0.125");
        assert_eq!(short_ms(100_000_000), "100");
        assert_eq!(slice_ms(3_000_000), "3.00");
    }

    #[test]
    fn ticks_have_the_decimals_of_their_step() {
        assert_eq!(tick(0, 1_000_000), "V");
        assert_eq!(tick(-4_000_000, 2_000_000), "−4");
        assert_eq!(tick(500_000, 500_000), "+0.5");
        assert_eq!(tick(40_000, 20_000), "+0.04");
        assert_eq!(seen(ruler_tick(1_234_000_000, 2_000_000)), "1'234");
        assert_eq!(ruler_tick(76_020_000, 20_000), "76.02");
        assert_eq!(ruler_tick(76_000_500, 500), "76.0005");
    }

    #[test]
    fn counts_are_grouped() {
        let table = [(0, "0"), (999, "999"), (1_000, "1'000"), (1_234_567, "1'234'567")];
        for (n, text) in table {
            assert_eq!(seen(count(n)), text);
        }
        assert_eq!(integer(-10), "−10");
        assert_eq!(integer(5), "5");
        assert_eq!(seen(plural(1, "task", "tasks")), "1_task");
        assert_eq!(seen(plural(1200, "task", "tasks")), "1'200_tasks");
    }

    #[test]
    fn percentages_and_percentiles() {
        let table = [
            (0, "0_%"),
            (3, "<_0.1_%"),
            (30, "0.3_%"),
            (900, "9_%"),
            (7890, "79_%"),
            (10_000, "100_%"),
        ];
        for (parts, text) in table {
            assert_eq!(seen(percent(parts)), text);
        }
        assert_eq!(percentile(5000), "p50");
        assert_eq!(percentile(9900), "p99");
        assert_eq!(percentile(9990), "p99.9");
        assert_eq!(percentile(9999), "p99.99");
    }

    #[test]
    fn cpu_lists_have_ranges() {
        assert_eq!(cpu_list(&[]), "");
        assert_eq!(cpu_list(&[3]), "3");
        assert_eq!(cpu_list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(cpu_list(&[9, 8, 8, 2]), "2,8-9");
        assert_eq!(cpu_list(&[65535]), "65535");
        assert_eq!(ghz(4_700_000), "4.7");
    }
}
