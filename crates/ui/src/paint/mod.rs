//! Painters that need no browser: SVG text for exports, a transcript for tests; what of a canvas to
//! paint again, and the way from one scene to the next.

pub mod dirty;
pub mod svg;
pub mod transcript;
pub mod tween;

pub use dirty::{dirty, paint_within};
pub use svg::svg;
pub use transcript::transcript;
pub use tween::tween;
