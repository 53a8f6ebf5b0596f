//! The address of the page: a link to a screen in the fragment, parameters for people in the query.

mod link;
mod query;

pub use link::{DOC_MAX, LINK_LONG, Link, read, write};
pub use query::{Query, parse, time_ns};
