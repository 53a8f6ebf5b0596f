//! Folds over records: spans, metrics, percentiles, prose. Sees `Record`s and the `Setup`, never
//! asks the simulation.

pub mod words;
