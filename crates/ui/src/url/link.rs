//! `#v1.` + base64url(deflate(postcard(Link))): a whole screen in the fragment of the address.
//!
//! Old links must open for ever: the fields of [`Link`] are never renamed or reordered, new ones
//! are added at the end and read with a default, and the golden link below stays in the tests.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schedscope_session::update::Problem;
use serde::{Deserialize, Serialize};

/// What comes before the data.
const PREFIX: &str = "v1.";
/// A link that unpacks to more than this is refused, bytes.
pub const DOC_MAX: usize = 1 << 20;
/// Above this, the share dialog offers a file instead, characters.
pub const LINK_LONG: usize = 8_000;

/// A screen: the document and where in it one is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The document with its seed and kernel, packed by the session.
    pub doc: Vec<u8>,
    /// The step.
    pub step: u64,
    /// Its time, ns: where to go if the engine of a later version counts steps otherwise.
    pub time: u64,
    /// The tab's number.
    pub tab: u8,
    /// The CPU that the user looks at, if one was chosen.
    pub focus: Option<u16>,
    /// Which decision of the step.
    pub decision: u16,
    /// Which check of the decision.
    pub check: u16,
    /// The timeline, from, ns.
    pub from: u64,
    /// … to, ns.
    pub to: u64,
    /// The selected row.
    pub selected: Option<u16>,
    /// How many probes of the check have been made, if not all. Came after the first links: it is
    /// written behind the rest, and only if there is something to say.
    #[serde(skip)]
    pub probe: Option<u16>,
    /// What runs beside it ("4.19"), if anything does. Written behind the probe.
    #[serde(skip)]
    pub beside: Option<String>,
}

/// Written for no probe where something follows.
const ALL_PROBES: u16 = u16::MAX;

/// The fragment for a screen, without `#`.
///
/// # Panics
/// Never: plain data can always be written.
#[must_use]
pub fn write(link: &Link) -> String {
    let mut bytes = postcard::to_allocvec(link).expect("plain data");
    if link.probe.is_some() || link.beside.is_some() {
        let probe = link.probe.unwrap_or(ALL_PROBES);
        bytes.extend(postcard::to_allocvec(&probe).expect("plain data"));
    }
    if let Some(beside) = &link.beside {
        bytes.extend(postcard::to_allocvec(beside).expect("plain data"));
    }
    let small = miniz_oxide::deflate::compress_to_vec(&bytes, 8);
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(small))
}

fn problem(sentence: &str) -> Problem {
    Problem { place: "link".into(), sentence: sentence.into(), line: None }
}

/// The screen that a fragment names; `None` if it is empty.
///
/// # Errors
/// If it is no link, or one that cannot be read, with a sentence that says why.
pub fn read(fragment: &str) -> Option<Result<Link, Problem>> {
    let text = fragment.trim_start_matches('#').trim();
    if text.is_empty() {
        return None;
    }
    let version = text.split_once('.').and_then(|(version, data)| {
        let version: u32 = version.strip_prefix('v')?.parse().ok()?;
        Some((version, data))
    });
    let Some((version, data)) = version else {
        let said: String = text.chars().take(20).collect();
        let more = if said.len() < text.len() { "…" } else { "" };
        return Some(Err(problem(&format!(
            "“{said}{more}” after the # of the address is no link of schedscope; one begins with \
             “v1.”."
        ))));
    };
    Some(match version {
        1 => unpack(data),
        0 => Err(problem("This link names version 0, which never existed.")),
        _ => Err(problem(
            "This link was made by a newer schedscope than this page. Reload the page to get the \
             newest version, then open the link again.",
        )),
    })
}

fn unpack(data: &str) -> Result<Link, Problem> {
    let cut = || {
        problem(
            "This link is damaged: part of it is missing or was changed on the way. Ask for it \
             again, or ask for the scenario as a file.",
        )
    };
    let small = URL_SAFE_NO_PAD.decode(data.trim_end_matches('=')).map_err(|_| cut())?;
    let bytes =
        miniz_oxide::inflate::decompress_to_vec_with_limit(&small, DOC_MAX).map_err(|e| match e
            .status
        {
            miniz_oxide::inflate::TINFLStatus::HasMoreOutput => problem(
                "This link unpacks to more than 1 MB, which no scenario needs. It is refused.",
            ),
            _ => cut(),
        })?;
    let (mut link, rest) = postcard::take_from_bytes::<Link>(&bytes).map_err(|_| cut())?;
    if !rest.is_empty() {
        let (probe, rest) = postcard::take_from_bytes::<u16>(rest).map_err(|_| cut())?;
        link.probe = (probe != ALL_PROBES).then_some(probe);
        if !rest.is_empty() {
            link.beside = Some(postcard::from_bytes(rest).map_err(|_| cut())?);
        }
    }
    Ok(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Link {
        Link {
            doc: b"title = \"Three tasks\"\n[[task]]\nname = \"A\"\n[[task]]\nname = \"B\"\n[[task]]\n".to_vec(),
            step: 37,
            time: 85_482_842,
            tab: 1,
            focus: Some(2),
            decision: 1,
            check: 4,
            from: 74_000_000,
            to: 98_000_000,
            selected: Some(3),
            probe: None,
            beside: None,
        }
    }

    fn sentence(fragment: &str) -> String {
        match read(fragment) {
            Some(Err(problem)) => problem.sentence,
            other => panic!("no problem with {fragment}: {other:?}"),
        }
    }

    #[test]
    fn a_link_comes_back_as_it_went() {
        let text = write(&some());
        assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "{text}");
        assert_eq!(read(&text), Some(Ok(some())));
        assert_eq!(read(&format!("#{text}")), Some(Ok(some())));
        let inside = Link { probe: Some(2), ..some() };
        assert_eq!(read(&write(&inside)), Some(Ok(inside.clone())));
        let two = Link { beside: Some("4.19".into()), ..inside };
        assert_eq!(read(&write(&two)), Some(Ok(two.clone())));
        let two = Link { probe: None, ..two };
        assert_eq!(read(&write(&two)), Some(Ok(two)));
    }

    /// Made on 2026-11-30. Never change it: old links must open for ever.
    #[test]
    fn the_golden_link_opens() {
        let golden = "v1.bcm9CYAwEEBhTq0yxRERrNzAQhsXsAspUhwo_hTmBsgwLqE7uIBg4SZiqhTpHt_reOSZsEbZDxsRsrGTlUKpP7QWq1n8bSLWBlbc51sCJJC5a8_d8VSQfg";
        assert_eq!(read(golden), Some(Ok(some())), "today it would be {}", write(&some()));
    }

    #[test]
    fn what_is_no_link_is_told() {
        for text in ["", "#", "# "] {
            assert_eq!(read(text), None, "{text}");
        }
        for text in ["#top", "#section-1.2", "#version.x", "#garbage-that-goes-on-and-on"] {
            assert!(sentence(text).contains("is no link of schedscope"), "{text}");
        }
    }

    #[test]
    fn bad_links_say_why() {
        assert!(sentence("#v2.abc").contains("newer"));
        assert!(sentence("#v1.!!!").contains("damaged"));
        assert!(sentence("#v1.").contains("damaged"));
        let good = write(&some());
        assert!(sentence(&good[..good.len() - 6]).contains("damaged"));
    }

    #[test]
    fn a_bomb_is_refused() {
        let bomb = miniz_oxide::deflate::compress_to_vec(&vec![0; DOC_MAX + 10], 9);
        let text = format!("v1.{}", URL_SAFE_NO_PAD.encode(bomb));
        assert!(sentence(&text).contains("more than 1 MB"));
    }
}
