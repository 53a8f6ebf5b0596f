//! The interface without a browser: state, actions, url, layouts, painters, theme.

pub mod format;
pub mod geometry;
pub mod paint;
pub mod scene;
pub mod text;
pub mod theme;
pub mod time_scale;
pub mod view;
