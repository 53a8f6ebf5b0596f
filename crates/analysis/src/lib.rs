//! Folds over records: spans, metrics, percentiles, prose. Sees `Record`s, the `Setup` and the
//! state after a step; takes none.

pub mod explain;
pub mod export;
pub mod index;
pub mod lag;
pub mod metrics;
pub mod spans;
pub mod words;
