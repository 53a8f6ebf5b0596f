//! The interface without a browser: state, actions, url, layouts, painters, theme.

pub mod action;
pub mod clock;
pub mod format;
pub mod geometry;
pub mod kernels;
pub mod keys;
pub mod labs;
pub mod narrate;
pub mod paint;
pub mod scene;
pub mod state;
pub mod text;
pub mod theme;
pub mod time_scale;
pub mod url;
pub mod view;
