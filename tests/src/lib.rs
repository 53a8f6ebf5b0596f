//! Helpers of the tests that span crates: vector files, golden lessons, properties.
