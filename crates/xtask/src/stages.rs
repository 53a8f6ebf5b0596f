//! `cargo xtask test`: every test of the project, stage by stage. CI runs exactly this.

use crate::{
    npm,
    page::{self, Mode},
    setup,
    shell::{Outcome, command, lasted, line, root, run, tools},
    size,
};
use std::{
    fs,
    time::{Duration, Instant},
};

/// A part of `test`, with a name people can pick it by.
struct Stage {
    name: &'static str,
    run: fn() -> Outcome,
}

/// In the order of what fails soonest. The packages for wasm alone (web, js) are left out natively.
const STAGES: &[Stage] = &[
    Stage { name: "set-up", run: setup::everything },
    Stage { name: "format", run: || cargo("fmt --all --check") },
    Stage {
        name: "tidy",
        run: || cargo("test --quiet -p schedscope-tests --test tidy --test links"),
    },
    Stage { name: "clippy", run: clippy },
    Stage { name: "clippy for wasm", run: clippy_for_wasm },
    Stage { name: "native tests", run: native_tests },
    Stage { name: "targets", run: targets },
    Stage { name: "npm package", run: npm::test },
    Stage { name: "page", run: || page::build(Mode::Release) },
    Stage { name: "size", run: size::check },
    Stage { name: "browser tests", run: browser_tests },
];

/// Runs all stages, or those whose names contain one of `args`; goes on after a failure.
pub(crate) fn test(args: &[String]) -> Outcome {
    if args.iter().any(|arg| arg == "--list") {
        for stage in STAGES {
            println!("{}", stage.name);
        }
        return Ok(());
    }
    let wanted = |stage: &&Stage| {
        args.is_empty() || args.iter().any(|arg| stage.name.contains(arg.as_str()))
    };
    let stages: Vec<&Stage> = STAGES.iter().filter(wanted).collect();
    if stages.is_empty() {
        return Err("No stage has such a name; `cargo xtask test --list` names them.".to_string());
    }
    let start = Instant::now();
    let mut rows: Vec<(&str, Duration, Outcome)> = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        println!("\n== {}/{} {} ==", index + 1, stages.len(), stage.name);
        let begun = Instant::now();
        let outcome = (stage.run)();
        let time = begun.elapsed();
        match &outcome {
            Ok(()) => println!("== {}: ok, {}", stage.name, lasted(time)),
            Err(why) => println!("== {}: FAILED, {}\n{why}", stage.name, lasted(time)),
        }
        let is_useless_to_go_on = outcome.is_err() && stage.name == "set-up";
        rows.push((stage.name, time, outcome));
        if is_useless_to_go_on {
            break;
        }
    }
    println!("\n== summary ==");
    for (name, time, outcome) in &rows {
        println!(
            "  {:<7} {name:<16} {}",
            if outcome.is_ok() { "ok" } else { "FAILED" },
            lasted(*time)
        );
    }
    println!("  total   {:<16} {}", "", lasted(start.elapsed()));
    for (name, _, outcome) in &rows {
        if let Err(why) = outcome {
            println!("{name}: {why}");
        }
    }
    let failed = rows.iter().filter(|(_, _, outcome)| outcome.is_err()).count();
    println!("stages: {} passed, {failed} failed", rows.len() - failed);
    if failed == 0 { Ok(()) } else { Err("some tests failed".to_string()) }
}

/// Accepts what the snapshot tests print now.
pub(crate) fn bless(args: &[String]) -> Outcome {
    let mut cargo = line("cargo test --workspace");
    cargo.args(NOT_NATIVE).args(args).env("UPDATE_EXPECT", "1");
    run(&mut cargo)
}

/// Packages that are for wasm alone.
const NOT_NATIVE: &[&str] = &["--exclude", "schedscope-web", "--exclude", "schedscope-js"];

fn cargo(words: &str) -> Outcome {
    run(&mut line(&format!("cargo {words}")))
}

fn clippy() -> Outcome {
    let mut cargo = line("cargo clippy --quiet --workspace --all-targets");
    cargo.args(NOT_NATIVE).args(["--", "-D", "warnings"]);
    run(&mut cargo)
}

fn clippy_for_wasm() -> Outcome {
    cargo(
        "clippy --quiet -p schedscope-web -p schedscope-js --target wasm32-unknown-unknown \
         -- -D warnings",
    )
}

fn native_tests() -> Outcome {
    let mut cargo = line("cargo test --quiet --no-fail-fast --workspace");
    run(cargo.args(NOT_NATIVE))
}

/// The same digests in wasm as natively (tests/tests/targets.rs tells how).
fn targets() -> Outcome {
    let file = tools().join("digests.txt");
    let mut native = line("cargo test --quiet -p schedscope-tests --test targets");
    run(native.env("DIGESTS_TO", &file))?;
    let digests = fs::read_to_string(&file).map_err(|error| format!("no digests: {error}"))?;
    println!("{} digests", digests.lines().count());
    // Not --quiet: cargo hands that on to the runner, which does not know it.
    let mut wasm = line("cargo test -p schedscope-tests --test targets --target");
    wasm.arg("wasm32-unknown-unknown").env("DIGESTS", digests);
    wasm.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner");
    run(&mut wasm)
}

fn browser_tests() -> Outcome {
    page::dist()?;
    let chromium = setup::for_browser_tests()?;
    let mut npx = command("npx");
    npx.args(["--no-install", "playwright", "test"]).env("CHROME", chromium);
    run(npx.current_dir(root().join("tests/browser")))
}
