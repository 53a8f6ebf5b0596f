//! `schedscope`: the session in a terminal.
fn main() {}
