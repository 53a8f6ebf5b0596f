//! Which algorithm a picture shows: EEVDF with V, eligibility and deadlines, or CFS, which only has
//! the order of vruntimes.

use schedscope_session::order;
use schedscope_session::update::{PickPicture, PickRow};

/// The algorithm of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// The earliest virtual deadline of the eligible ones; the origin is V.
    #[default]
    Eevdf,
    /// The smallest vruntime; the origin is `min_vruntime`, a bar is the share of the period.
    Cfs,
}

impl Rule {
    /// The algorithm of a picture: the nodes of a CFS tree keep no minimum.
    #[must_use]
    pub fn of(picture: &PickPicture) -> Rule {
        if picture.tree_kept.is_empty() && picture.tree_key == "vruntime" {
            Rule::Cfs
        } else {
            Rule::Eevdf
        }
    }

    /// The origin of the axis, relative to V, ns.
    #[must_use]
    pub fn origin(self, picture: &PickPicture) -> i64 {
        match self {
            Rule::Eevdf => 0,
            Rule::Cfs => picture.min_vruntime.wrapping_sub(picture.v),
        }
    }

    /// The rows in lane order, on the axis of this algorithm.
    ///
    /// In CFS vruntimes become relative to `min_vruntime`, and the end of the bar is where the
    /// task will have had its share.
    #[must_use]
    pub fn rows(self, picture: &PickPicture) -> Vec<PickRow> {
        let mut rows = picture.rows.clone();
        if self == Rule::Eevdf {
            order::sort_by_key(&mut rows, |row| row.deadline);
            return rows;
        }
        let origin = self.origin(picture);
        for row in &mut rows {
            row.vruntime = row.vruntime.wrapping_sub(origin);
            row.deadline = row.vruntime.saturating_add(row.vslice.min(1 << 60) as i64);
            row.eligible = true;
        }
        order::sort_by_key(&mut rows, |row| row.vruntime);
        rows
    }
}
