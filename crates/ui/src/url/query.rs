//! `?lab=…&t=12ms&present&embed&theme=dark`: parameters for people, checked with a sentence each.

use crate::state::{Mode, Tab, Theme};
use schedscope_session::update::Problem;

/// What the query asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// A prepared scene, by its id.
    pub lab: Option<String>,
    /// At this time, ns.
    pub time: Option<u64>,
    /// At this step.
    pub step: Option<u64>,
    /// At this page of a lesson, from 1 in the address, from 0 here.
    pub page: Option<usize>,
    /// On this tab.
    pub tab: Option<Tab>,
    /// At this decision of the step, from 1.
    pub decision: Option<usize>,
    /// At this check, from 1.
    pub check: Option<usize>,
    /// Looking at this CPU.
    pub cpu: Option<u16>,
    /// With this row of the task list selected, from 1.
    pub row: Option<u16>,
    /// Present or embed.
    pub mode: Mode,
    /// A theme.
    pub theme: Option<Theme>,
    /// Run the benchmark instead of the page.
    pub bench: bool,
    /// What runs beside it ("4.19").
    pub beside: Option<String>,
    /// Show the start page.
    pub empty: bool,
    /// Hold the page in its loading state (for pictures).
    pub loading: bool,
    /// Let the worker die once it is running (for tests).
    pub panic: bool,
    /// What was not understood.
    pub problems: Vec<Problem>,
}

/// Reads a query, with or without `?`. What is wrong is said; the rest holds.
#[must_use]
pub fn parse(query: &str, labs: &[&str]) -> Query {
    let mut out = Query::default();
    for part in query.trim_start_matches('?').split('&').filter(|p| !p.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let value = decode(value);
        if let Err(sentence) = take(&mut out, key, &value, labs) {
            out.problems.push(Problem { place: format!("?{key}"), sentence, line: None });
        }
    }
    out
}

fn take(out: &mut Query, key: &str, value: &str, labs: &[&str]) -> Result<(), String> {
    let number = |least: u64| {
        let n = value.parse::<u64>().ok().filter(|&n| n >= least);
        n.ok_or_else(|| format!("“{value}” is not a whole number from {least} on."))
    };
    match key {
        "lab" if labs.contains(&value.to_ascii_lowercase().as_str()) => {
            out.lab = Some(value.to_ascii_lowercase());
        }
        "lab" => {
            let known = labs.join(", ");
            return Err(format!("There is no lab “{value}”. There are: {known}."));
        }
        "t" => {
            let time = time_ns(value).ok_or_else(|| {
                format!(
                    "“{value}” is not a time. Write a number with its unit, as in 12ms or 850us."
                )
            })?;
            out.time = Some(time);
        }
        "step" => out.step = Some(number(0)?),
        "page" => out.page = Some(number(1)? as usize - 1),
        "tab" => {
            let tab = Tab::from_id(value).ok_or_else(|| {
                format!("There is no tab “{value}”. There are: pick, placement, tree, metrics.")
            })?;
            out.tab = Some(tab);
        }
        "decision" => out.decision = Some(number(1)? as usize - 1),
        "check" => out.check = Some(number(1)? as usize - 1),
        "cpu" => out.cpu = Some(number(0)?.min(u16::MAX.into()) as u16),
        "row" => out.row = Some((number(1)? - 1).min(u16::MAX.into()) as u16),
        // "?present=0" means what it says.
        "present" | "embed" if ["0", "no", "off", "false"].contains(&value) => {}
        "present" => out.mode = Mode::Present,
        "embed" => out.mode = Mode::Embed,
        "theme" => {
            out.theme = Some(match value.to_ascii_lowercase().as_str() {
                "dark" => Theme::Dark,
                "light" => Theme::Light,
                "system" => Theme::System,
                _ => return Err(format!("There is no theme “{value}”. There are: light, dark.")),
            });
        }
        "beside" => out.beside = Some(value.into()),
        "bench" => out.bench = true,
        "empty" => out.empty = true,
        "loading" => out.loading = true,
        "panic" => out.panic = true,
        // Hosts and mail readers add parameters of their own.
        _ => {}
    }
    Ok(())
}

/// A time with its unit: "12ms", "1.5 s", "850us", "200 ns".
#[must_use]
pub fn time_ns(text: &str) -> Option<u64> {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(at);
    let scale: u64 = match unit.trim() {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return None,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || part.contains('.') || part.len() > 9 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let part_ns = if part.is_empty() {
        0
    } else {
        part.parse::<u64>().ok()?.checked_mul(scale)? / 10_u64.pow(part.len() as u32)
    };
    whole.checked_mul(scale)?.checked_add(part_ns)
}

/// Takes percent signs and plus signs out of a query's value.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = |k: usize| bytes.get(i + k).and_then(|&b| (b as char).to_digit(16));
        match (bytes[i], hex(1), hex(2)) {
            (b'%', Some(hi), Some(lo)) => {
                out.push((hi * 16 + lo) as u8);
                i += 3;
            }
            (b'+', ..) => {
                out.push(b' ');
                i += 1;
            }
            (byte, ..) => {
                out.push(byte);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_query() {
        let q =
            parse("?lab=lwn-eevdf&t=12ms&present&theme=dark&tab=placement&check=3", &["lwn-eevdf"]);
        assert_eq!(q.problems, []);
        assert_eq!(q.lab.as_deref(), Some("lwn-eevdf"));
        assert_eq!((q.time, q.check), (Some(12_000_000), Some(2)));
        assert_eq!((q.mode, q.theme), (Mode::Present, Some(Theme::Dark)));
        assert_eq!(q.tab, Some(Tab::Placement));
    }

    #[test]
    fn nonsense_gets_a_sentence_and_the_rest_holds() {
        let q = parse("lab=no%20such&t=soon&theme=pink&step=-1&embed", &["a", "b"]);
        let all: Vec<String> =
            q.problems.iter().map(|p| format!("{}: {}", p.place, p.sentence)).collect();
        assert_eq!(
            all,
            [
                "?lab: There is no lab “no such”. There are: a, b.",
                "?t: “soon” is not a time. Write a number with its unit, as in 12ms or 850us.",
                "?theme: There is no theme “pink”. There are: light, dark.",
                "?step: “-1” is not a whole number from 0 on.",
            ]
        );
        assert_eq!(q.mode, Mode::Embed);
    }

    #[test]
    fn foreign_parameters_are_left_alone() {
        assert_eq!(parse("?fbclid=x&utm_source=y&present=0&embed=no", &[]), Query::default());
    }

    #[test]
    fn times() {
        assert_eq!(time_ns("12ms"), Some(12_000_000));
        assert_eq!(time_ns("1.5 s"), Some(1_500_000_000));
        assert_eq!(time_ns("85.482842ms"), Some(85_482_842));
        assert_eq!(time_ns("3us"), Some(3_000));
        for bad in ["", "12", "ms", "1..2ms", "1h", "99999999999999999999s", "-3ms"] {
            assert_eq!(time_ns(bad), None, "{bad}");
        }
    }
}
