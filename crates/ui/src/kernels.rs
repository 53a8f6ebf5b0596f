//! The kernels that can be chosen, as lists show them: by era, each with what it changed.

use schedscope_scenario::kernels::{Era, words};
use schedscope_sim::kernel::Preset;

/// A kernel of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name in documents and links ("6.12").
    pub preset: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// When it was released or posted.
    pub date: &'static str,
    /// What it changed, in one line.
    pub about: &'static str,
}

/// All of them by era, in the order of history.
#[must_use]
pub fn by_era() -> Vec<(&'static str, Vec<Known>)> {
    let of = |era: Era| {
        let presets = Preset::ALL.into_iter().filter(move |&preset| words(preset).era == era);
        presets.map(known).collect()
    };
    Era::ALL.into_iter().map(|era| (era.title(), of(era))).collect()
}

/// The title of the kernel with this name; the name itself if there is none.
#[must_use]
pub fn title(preset: &str) -> &str {
    Preset::from_name(preset).map_or(preset, |preset| words(preset).title)
}

impl Known {
    /// The title where there is little room: "6.12, EEVDF".
    #[must_use]
    pub fn short(&self) -> &'static str {
        self.title.strip_prefix("Linux ").unwrap_or(self.title)
    }
}

fn known(preset: Preset) -> Known {
    let words = words(preset);
    Known { preset: preset.name(), title: words.title, date: words.date, about: words.about }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_in_one_era() {
        let all: Vec<&str> = by_era().iter().flat_map(|(_, list)| list).map(|k| k.preset).collect();
        assert_eq!(all.len(), Preset::ALL.len());
        assert!(all.iter().all(|name| Preset::from_name(name).is_some()));
        assert_eq!(title("6.12"), "Linux 6.12, EEVDF");
        assert_eq!(known(Preset::V4_19).short(), "4.19, CFS");
        assert_eq!(known(Preset::Eevdf2023_03).short(), "EEVDF, first proposal");
        assert_eq!(title("placement 4.19"), "placement 4.19");
    }
}
