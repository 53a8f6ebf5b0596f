//! Set-up: what is on PATH is used, what is missing is installed into `.tools`, and what cannot be
//! had gets a sentence that says which command mends it.

use crate::{
    shell::{
        Outcome, apt_install, command, lasted, line, may_use_apt, on_path, output, root, run,
        run_within, tools,
    },
    wasm_std,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The last line of trunk that this project's rustc builds.
const TRUNK: &str = "0.21.14";
/// npm's `binaryen`, whose major version is that of its `wasm-opt`; Trunk.toml names it too.
const BINARYEN: &str = "132.0.0";
/// How long servers that may be out of reach get.
const PATIENCE: Duration = Duration::from_secs(60);

/// All that `serve` and `test` need.
pub(crate) fn everything() -> Outcome {
    let start = Instant::now();
    println!("set-up: on a fresh machine about 6 minutes on two cores, afterwards a second");
    rust_components()?;
    for_page()?;
    wasm_opt()?;
    for_browser_tests().map(drop)?;
    println!("set-up: done in {}", lasted(start.elapsed()));
    Ok(())
}

/// What building and serving the page needs: the wasm target, wasm-bindgen and trunk.
pub(crate) fn for_page() -> Outcome {
    wasm_target()?;
    wasm_bindgen()?;
    trunk()
}

/// What the browser tests need: Node, Playwright and a browser (its program is given back).
pub(crate) fn for_browser_tests() -> Outcome<PathBuf> {
    node()?;
    npm_packages()?;
    chromium()
}

/// The browser of the tests: `$CHROME`, else one on PATH, else Debian's.
pub(crate) fn chromium() -> Outcome<PathBuf> {
    const NAMES: &[&str] =
        &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    if let Some(chosen) = env::var_os("CHROME") {
        let chosen = PathBuf::from(chosen);
        if chosen.is_file() {
            say("browser", &format!("{} (from CHROME)", chosen.display()));
            return Ok(chosen);
        }
        return Err(format!(
            "CHROME is {}, which is no file. Set it to a Chromium or Chrome, or unset it.",
            chosen.display()
        ));
    }
    let mac = PathBuf::from("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    let found = || on_path(NAMES).or_else(|| mac.is_file().then(|| mac.clone()));
    if let Some(browser) = found() {
        say("browser", &browser.display().to_string());
        return Ok(browser);
    }
    if may_use_apt() {
        say("browser", "Debian's Chromium is installed, half a minute to two minutes");
        apt_install(&["chromium", "fonts-dejavu-core"])?;
    }
    found().ok_or_else(|| {
        "The browser tests need Chromium or Chrome. Install one \
         (Debian, Ubuntu: `sudo apt-get install chromium`), \
         or set CHROME to its program, and run the command again."
            .to_string()
    })
}

/// Node.js, for the browser tests, for wasm tests and for wasm-opt.
pub(crate) fn node() -> Outcome {
    if on_path(&["node"]).is_none() && may_use_apt() {
        say("node", "Debian's nodejs and npm are installed, about a minute");
        apt_install(&["nodejs", "npm"])?;
    }
    let version = output(&mut line("node --version")).unwrap_or_default();
    let major =
        version.trim_start_matches('v').split('.').next().and_then(|n| n.parse::<u32>().ok());
    match major {
        Some(18..) if on_path(&["npm"]).is_some() => {
            say("node", &version);
            Ok(())
        }
        _ => Err(format!(
            "The browser and wasm tests need Node.js 18 or later with npm (found: {}). \
             Install it (Debian, Ubuntu: `sudo apt-get install nodejs npm`), then run this again.",
            if version.is_empty() { "none" } else { &version }
        )),
    }
}

/// wasm-opt, for release builds of the page.
pub(crate) fn wasm_opt() -> Outcome {
    let wanted = BINARYEN.split('.').next().expect("a version has a major number");
    let is_right = |tool: &Path| is_version(tool, wanted);
    let own = tools().join("bin/wasm-opt");
    let cached = trunk_cache(&format!("wasm-opt-version_{wanted}/bin/wasm-opt"));
    let places = [on_path(&["wasm-opt"]), Some(own.clone()), cached.clone()];
    let found = places.into_iter().flatten().find(|tool| is_right(tool));
    let tool = match found {
        Some(tool) => tool,
        None => install_binaryen(wanted)?,
    };
    if !is_right(&tool) {
        return Err(format!(
            "wasm-opt {wanted} could not be installed. Put that of binaryen {wanted} on PATH."
        ));
    }
    // trunk looks on PATH, where `command` puts our own first, and in its cache.
    for place in [Some(own), cached].into_iter().flatten().filter(|place| !is_right(place)) {
        link(&tool, &place)?;
    }
    say("wasm-opt", &format!("{wanted}, {}", tool.display()));
    Ok(())
}

/// From npm; gives the program.
fn install_binaryen(wanted: &str) -> Outcome<PathBuf> {
    node()?;
    say("wasm-opt", &format!("{wanted} is installed from npm's binaryen, a few seconds"));
    let folder = tools().join("npm");
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join("package.json"), "{\"private\":true}\n"))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut npm = line("npm install --no-audit --no-fund --no-save --loglevel=error");
    run(npm.arg(format!("binaryen@{BINARYEN}")).current_dir(&folder))?;
    Ok(folder.join("node_modules/binaryen/bin/wasm-opt"))
}

fn rust_components() -> Outcome {
    for component in ["rustfmt", "clippy"] {
        let program = if component == "rustfmt" { "rustfmt" } else { "cargo-clippy" };
        let is_there = || output(command(program).arg("--version")).is_ok();
        if !is_there() && on_path(&["rustup"]).is_some() {
            say(component, "rustup fetches it, a few seconds");
            let _ = run_within(PATIENCE, line("rustup component add").arg(component));
        }
        if !is_there() {
            return Err(format!(
                "{component} is missing. With rustup: `rustup component add {component}`; \
                 with a distribution's Rust: install its package of that name."
            ));
        }
    }
    Ok(())
}

fn wasm_target() -> Outcome {
    if wasm_std::is_installed()? {
        say("wasm target", "installed");
        return Ok(());
    }
    if on_path(&["rustup"]).is_some() {
        say("wasm target", "rustup fetches it, a few seconds");
        let added = run_within(PATIENCE, &mut line("rustup target add wasm32-unknown-unknown"));
        if added.is_ok() && wasm_std::is_installed()? {
            return Ok(());
        }
        println!("rustup's server does not give it ({}).", added.err().unwrap_or_default());
    }
    say("wasm target", "built from the source in Debian's rust-src, about 2 minutes");
    wasm_std::build().map_err(|why| {
        format!(
            "The wasm32-unknown-unknown target is missing and could not be built: {why}\n\
             With rustup: `rustup target add wasm32-unknown-unknown`. \
             With a distribution's Rust: install its wasm package \
             (Debian, Ubuntu: libstd-rust-dev-wasm32). Then run the command again."
        )
    })
}

fn wasm_bindgen() -> Outcome {
    let version = locked_wasm_bindgen()?;
    let runner = |tool: &Path| tool.with_file_name("wasm-bindgen-test-runner");
    let is_right = |tool: &Path| is_version(tool, &version) && runner(tool).is_file();
    let own = tools().join("bin/wasm-bindgen");
    let cached = trunk_cache(&format!("wasm-bindgen-{version}/wasm-bindgen"));
    let places = [on_path(&["wasm-bindgen"]), Some(own.clone()), cached.clone()];
    let found = places.into_iter().flatten().find(|tool| is_right(tool));
    if found.is_none() {
        let how = format!("{version} (as in Cargo.lock) is built, 1 to 2 minutes on two cores");
        say("wasm-bindgen", &how);
        cargo_install("wasm-bindgen-cli", &version, &[])?;
    }
    let tool = found.unwrap_or_else(|| own.clone());
    if !is_right(&tool) {
        return Err(format!(
            "wasm-bindgen {version} could not be installed. \
             `cargo install wasm-bindgen-cli --version {version}` by hand shows why."
        ));
    }
    // trunk looks on PATH, where `command` puts our own first, and in its cache.
    for place in [Some(own), cached].into_iter().flatten().filter(|place| !is_right(place)) {
        link(&tool, &place)?;
        link(&runner(&tool), &runner(&place))?;
    }
    say("wasm-bindgen", &format!("{version}, {}", tool.display()));
    Ok(())
}

fn trunk() -> Outcome {
    let is_right = |tool: &Path| {
        let said = output(command(tool).arg("--version")).unwrap_or_default();
        said.starts_with("trunk 0.21.") || said.starts_with("trunk 0.22.")
    };
    let own = tools().join("bin/trunk");
    let places = [on_path(&["trunk"]), Some(own.clone())];
    let found = places.into_iter().flatten().find(|tool| is_right(tool));
    if found.is_none() {
        say("trunk", &format!("{TRUNK} is built, 2 to 4 minutes on two cores"));
        cargo_install("trunk", TRUNK, &["--no-default-features"])?;
    }
    let tool = found.unwrap_or_else(|| own.clone());
    if !is_right(&tool) {
        return Err(format!(
            "trunk {TRUNK} could not be installed. \
             `cargo install trunk --version {TRUNK} --locked` by hand shows why."
        ));
    }
    say("trunk", &tool.display().to_string());
    // So that plain `trunk serve` works from now on.
    if tool == own {
        match cargo_bin() {
            Some(bin) if on_path(&["trunk"]).is_none() => {
                link(&own, &bin.join("trunk"))?;
                say("trunk", &format!("also put into {}, for plain `trunk serve`", bin.display()));
            }
            _ => say("trunk", "for plain `trunk serve` put .tools/bin first on PATH"),
        }
    }
    Ok(())
}

/// Whether a program is there and names this version.
fn is_version(tool: &Path, version: &str) -> bool {
    tool.is_file()
        && output(command(tool).arg("--version"))
            .is_ok_and(|said| said.split_whitespace().any(|word| word == version))
}

fn npm_packages() -> Outcome {
    let folder = root().join("tests/browser");
    let age = |path: &str| fs::metadata(folder.join(path)).and_then(|meta| meta.modified()).ok();
    let lock = age("package-lock.json");
    if age("node_modules/.package-lock.json").is_some_and(|installed| Some(installed) >= lock) {
        say("npm packages", "installed (tests/browser)");
        return Ok(());
    }
    say("npm packages", "Playwright and axe are installed into tests/browser, a few seconds");
    run(line("npm ci --no-audit --no-fund --loglevel=error").current_dir(&folder)).map_err(|why| {
        format!("{why}\nThe npm packages of tests/browser are missing; is npm's registry reached?")
    })
}

/// Builds a tool with cargo into `.tools`; the quick way first where cargo-binstall is at hand.
fn cargo_install(package: &str, version: &str, extra: &[&str]) -> Outcome {
    let start = Instant::now();
    let tools = tools();
    if on_path(&["cargo-binstall"]).is_some() {
        let mut quick =
            line("cargo binstall --no-confirm --force --disable-strategies compile --root");
        quick.arg(&tools).arg(format!("{package}@{version}"));
        if run_within(PATIENCE * 2, &mut quick).is_ok() {
            return Ok(());
        }
    }
    let build = tools.join("build");
    let install = |locked: &[&str]| {
        let mut command = line("cargo install --quiet --force");
        command.args([package, "--version", version, "--root"]).arg(&tools);
        command.args(locked).args(extra);
        command.env("CARGO_TARGET_DIR", &build);
        // A tool that runs for a second need not be optimised for minutes.
        command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
        command.env("CARGO_PROFILE_RELEASE_LTO", "off");
        command.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        command.env("CARGO_PROFILE_RELEASE_DEBUG", "0");
        command.env_remove("RUSTFLAGS");
        run(&mut command)
    };
    // A lock file may name a version that a registry's mirror does not have yet.
    let outcome = install(&["--locked"]).or_else(|_| {
        println!("  {package}'s lock file does not fit this registry; once more without it");
        install(&[])
    });
    let _ = fs::remove_dir_all(&build);
    outcome?;
    println!("  {package} {version} built in {}", lasted(start.elapsed()));
    Ok(())
}

/// The version of wasm-bindgen in Cargo.lock; its command-line tool must be of the same.
fn locked_wasm_bindgen() -> Outcome<String> {
    let lock = fs::read_to_string(root().join("Cargo.lock"))
        .map_err(|error| format!("Cargo.lock could not be read: {error}"))?;
    lock.split_once("name = \"wasm-bindgen\"\nversion = \"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(version, _)| version.to_string())
        .ok_or_else(|| "Cargo.lock does not name wasm-bindgen".to_string())
}

/// A file where trunk itself keeps the tools that it downloads.
fn trunk_cache(file: &str) -> Option<PathBuf> {
    let home = PathBuf::from(env::var_os("HOME")?);
    let cache = if cfg!(target_os = "macos") {
        home.join("Library/Caches/dev.trunkrs.trunk")
    } else {
        let caches = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        caches.unwrap_or_else(|| home.join(".cache")).join("trunk")
    };
    Some(cache.join(file))
}

/// The folder of cargo's own programs, if it is on PATH.
fn cargo_bin() -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let bin = home.join("bin");
    env::split_paths(&env::var_os("PATH")?).any(|folder| folder == bin).then_some(bin)
}

/// A second name for a file: a hard link where possible, else a copy.
fn link(from: &Path, to: &Path) -> Outcome {
    let failed = |error: std::io::Error| format!("{} could not be written: {error}", to.display());
    fs::create_dir_all(to.parent().expect("a file lies in a folder")).map_err(failed)?;
    let _ = fs::remove_file(to);
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(|_| ())).map_err(failed)
}

fn say(what: &str, how: &str) {
    println!("  {what:<13} {how}");
}
