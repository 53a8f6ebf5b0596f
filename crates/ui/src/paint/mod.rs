//! Painters that need no browser: SVG text for exports, a transcript for tests, and the way from
//! one scene to the next.

pub mod svg;
pub mod transcript;
pub mod tween;

pub use svg::svg;
pub use transcript::transcript;
pub use tween::tween;
