//! The project's own commands: `cargo xtask setup | serve | test | size | bless | shoot`.
//!
//! Only the standard library is used: the first command on a fresh machine compiles in seconds.

use std::process::ExitCode;

mod npm;
mod offline;
mod pack;
mod page;
mod pictures;
mod setup;
mod shell;
mod size;
mod stages;
mod wasm_std;

const USAGE: &str = "\
cargo xtask COMMAND

  setup               install what is missing: wasm target, wasm-bindgen, trunk, wasm-opt, Chromium
  serve [--dev]       set up, build the page, serve it at http://127.0.0.1:8080/  (--port N)
  build [--dev]       set up, build the page into dist/
  test [NAME…]        set up, then every test; with names only the stages whose name contains one
  test --list         the stages of `test`
  npm                 the npm package of crates/js into crates/js/pkg, and its tests
  size                what the page weighs over the wire, against its limit (needs dist/)
  bless [ARG…]        accept what the snapshot tests print now (UPDATE_EXPECT=1 cargo test ARG…)
  shoot [DIR] [RE]    build, then a picture and an audit of every state that is listed in
                      tests/browser/pictures.json (--no-build: of dist/); RE picks by name
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let outcome = match args.first().map(String::as_str) {
        Some("setup") => setup::everything(),
        Some("serve") => page::serve(rest),
        Some("build") => page::build_command(rest),
        Some("test") => stages::test(rest),
        Some("npm") => npm::test(),
        Some("size") => size::check(),
        Some("bless") => stages::bless(rest),
        Some("shoot") => pictures::shoot(rest),
        // Called by trunk (see Trunk.toml) and by `serve`, not by people.
        Some("after-build") => page::after_build(),
        Some("announce") => page::announce(rest),
        Some("help" | "-h" | "--help") => {
            print!("{USAGE}");
            Ok(())
        }
        Some(other) => Err(format!("there is no command `{other}`\n\n{USAGE}")),
        None => Err(USAGE.to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}
