//! Folds over records: spans, metrics, percentiles, prose.
