//! The interface without a browser: state, actions, url, layouts, painters, theme.

pub mod geometry;
pub mod scene;
pub mod view;
