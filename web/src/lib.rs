//! The page: the only crate that knows the browser. It shows the state of `schedscope-ui`, hands
//! it what happens, and talks to the worker in which the engine runs.

pub mod app;
pub mod bench;
pub mod bridge;
pub mod canvas;
pub mod chip;
pub mod ctx;
pub mod dialogs;
pub mod dom;
pub mod gesture;
pub mod icons;
pub mod layout;
pub mod measure;
pub mod message;
pub mod parts;
pub mod places;
pub mod svg;
pub mod worker;
