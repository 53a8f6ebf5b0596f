//! The interface without a browser: state, actions, url, layouts, painters, theme.
