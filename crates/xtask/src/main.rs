//! Set-up, serve, test: the project's own commands.
fn main() {}
