//! Folds over records: spans, metrics, percentiles, prose. Sees `Record`s and the `Setup`, never
//! asks the simulation.

pub mod explain;
pub mod export;
pub mod index;
pub mod metrics;
pub mod spans;
pub mod words;
