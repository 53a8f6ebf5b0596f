//! The engine for JavaScript users: one session behind wasm-bindgen.
