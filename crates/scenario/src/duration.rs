//! Lengths of time as people write them: "1.5ms", "500us", "20 ns", "1s". Exact, without floats.

/// The longest length that a document may name: an hour, in ns.
pub const LONGEST: u64 = 3_600_000_000_000;

const UNITS: [(&str, u64); 5] =
    [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

/// Reads a length of time, in ns.
///
/// # Errors
/// A sentence, if the text is no length of time or a longer one than [`LONGEST`].
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = |c: char| c.is_ascii_digit() || c == '.' || c == '_';
    let (number, unit) = text.split_at(text.find(|c| !digits(c)).unwrap_or(text.len()));
    let unit = unit.trim_start();
    let wrong = || {
        format!(
            "\"{}\" is no length of time; write a number and a unit, such as 1.5ms, 500us or 1s.",
            clip(text)
        )
    };
    if number.is_empty() {
        return Err(wrong());
    }
    if unit.is_empty() {
        return Err(format!("\"{}\" needs a unit: ns, us, ms or s.", clip(text)));
    }
    // Greek mu as well as the micro sign.
    let unit = unit.replace('\u{3bc}', "\u{b5}");
    let scale = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
    let scale = scale.ok_or_else(|| {
        format!("\"{}\" has an unknown unit; the units are ns, us, ms and s.", clip(text))
    })?;
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() || fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
        return Err(wrong());
    }
    let too_long = || format!("\"{}\" is too long; the longest is one hour.", clip(text));
    let whole: u64 = whole.parse().map_err(|_| too_long())?;
    let (mut ns, mut place) = (u128::from(whole) * u128::from(scale), scale);
    for digit in fraction.bytes().map(|digit| digit - b'0') {
        if place == 1 {
            if digit != 0 {
                return Err(format!(
                    "\"{}\" is finer than a nanosecond, the smallest there is.",
                    clip(text)
                ));
            }
            continue;
        }
        place /= 10;
        ns += u128::from(digit) * u128::from(place);
    }
    match u64::try_from(ns) {
        Ok(ns) if ns <= LONGEST => Ok(ns),
        _ => Err(too_long()),
    }
}

/// Writes a length of time exactly, in the largest unit of which it has at least one.
#[must_use]
pub fn format(ns: u64) -> String {
    let (unit, scale) = match ns {
        0 => return "0ms".to_string(),
        1_000_000_000.. => ("s", 1_000_000_000),
        1_000_000.. => ("ms", 1_000_000),
        1_000.. => ("us", 1_000),
        _ => ("ns", 1),
    };
    let (whole, rest) = (ns / scale, ns % scale);
    if rest == 0 {
        return format!("{whole}{unit}");
    }
    let digits = scale.ilog10() as usize;
    let fraction = format!("{rest:0digits$}");
    format!("{whole}.{}{unit}", fraction.trim_end_matches('0'))
}

/// The text, cut to what fits in a sentence.
#[must_use]
pub fn clip(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expect: u64) {
        assert_eq!(parse(text), Ok(expect));
    }

    #[track_caller]
    fn check_wrong(text: &str, expect: &str) {
        assert_eq!(parse(text), Err(expect.to_string()));
    }

    #[test]
    fn reads_what_people_write() {
        check("1.5ms", 1_500_000);
        check(" 20 ns ", 20);
        check("1s", 1_000_000_000);
        check("2µs", 2_000);
        check("2\u{3bc}s", 2_000);
        check("0.000001ms", 1);
        check("0.1000000000ms", 100_000);
        check("1_000us", 1_000_000);
    }

    #[test]
    fn says_what_is_wrong() {
        check_wrong("5", "\"5\" needs a unit: ns, us, ms or s.");
        check_wrong("5m", "\"5m\" has an unknown unit; the units are ns, us, ms and s.");
        check_wrong("0.5ns", "\"0.5ns\" is finer than a nanosecond, the smallest there is.");
        check_wrong("2h", "\"2h\" has an unknown unit; the units are ns, us, ms and s.");
        check_wrong("3601s", "\"3601s\" is too long; the longest is one hour.");
        let wrong = "is no length of time; write a number and a unit, such as 1.5ms, 500us or 1s.";
        check_wrong("", &format!("\"\" {wrong}"));
        check_wrong("-1ms", &format!("\"-1ms\" {wrong}"));
        check_wrong("1.ms", &format!("\"1.ms\" {wrong}"));
        check_wrong("1.2.3ms", &format!("\"1.2.3ms\" {wrong}"));
    }

    #[test]
    fn writes_the_shortest() {
        for (ns, text) in
            [(0, "0ms"), (1, "1ns"), (1_500_000, "1.5ms"), (30_000_000, "30ms"), (1_001, "1.001us")]
        {
            assert_eq!(format(ns), text);
        }
    }

    proptest! {
        #[test]
        fn read_what_was_written(ns in 0..=LONGEST) {
            prop_assert_eq!(parse(&format(ns)), Ok(ns));
        }

        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = parse(&text);
        }
    }
}
