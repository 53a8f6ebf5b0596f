//! Load balancing: how queued tasks come to other CPUs (spec 5.7, 5.8).

pub mod stats;
