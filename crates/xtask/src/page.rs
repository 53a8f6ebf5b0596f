//! Building and serving the page with trunk.

use crate::{
    offline, pack, setup,
    shell::{Outcome, command, lasted, line, root, run},
};
use std::{
    env, fs,
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// What the release page may load and do. Yew sets style attributes: 'unsafe-inline' for styles.
const CSP: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; \
base-uri 'none'; form-action 'none'";

/// `build`: the page into dist/.
pub(crate) fn build_command(args: &[String]) -> Outcome {
    let mode = Mode::from_args(args);
    set_up(mode)?;
    build(mode)
}

/// The page into dist/, with paths that work on any host and in any folder.
pub(crate) fn build(mode: Mode) -> Outcome {
    let mut trunk = line("trunk build --public-url ./");
    trunk.args(mode.flag());
    run(&mut trunk)
}

/// `serve`: what is missing is installed, then trunk builds and serves, and rebuilds on change.
pub(crate) fn serve(args: &[String]) -> Outcome {
    let mode = Mode::from_args(args);
    let port = args.iter().skip_while(|arg| *arg != "--port").nth(1);
    let port: u16 = match port {
        Some(text) => text.parse().map_err(|_| format!("`{text}` is no port"))?,
        None => 8080,
    };
    // Asked before minutes of building, not after.
    if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() {
        return Err(format!(
            "Port {port} is taken. End the program that has it, or: `cargo xtask serve --port {}`.",
            port.wrapping_add(1)
        ));
    }
    set_up(mode)?;
    println!(
        "building the page: about {} the first time, then seconds",
        if mode == Mode::Release { "2 minutes" } else { "1 minute" }
    );
    // trunk replaces this process, so that one Ctrl+C ends all; the address is told by a helper.
    let me = env::current_exe().map_err(|error| error.to_string())?;
    command(me)
        .arg("announce")
        .arg(port.to_string())
        .spawn()
        .map_err(|error| format!("the announcer did not start: {error}"))?;
    // A folder of its own: a rebuild here shall not pull dist/ from under the tests.
    let mut trunk =
        line("trunk serve --public-url / --address 127.0.0.1 --dist target/served --port");
    trunk.arg(port.to_string()).args(mode.flag());
    replace_by(trunk)
}

/// Waits until the page answers, then prints its address once.
pub(crate) fn announce(args: &[String]) -> Outcome {
    let port: u16 = args.first().and_then(|port| port.parse().ok()).unwrap_or(8080);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(45 * 60) && is_parent_alive() {
        thread::sleep(Duration::from_millis(300));
        if answers(port) {
            println!(
                "\nschedscope is at http://127.0.0.1:{port}/   ({})\n",
                lasted(start.elapsed())
            );
            return Ok(());
        }
    }
    Ok(())
}

/// Trunk's hook: release builds are packed, get a CSP, and lose the comments.
pub(crate) fn after_build() -> Outcome {
    if env::var("TRUNK_PROFILE").as_deref() != Ok("release") {
        return Ok(());
    }
    let staging = PathBuf::from(
        env::var_os("TRUNK_STAGING_DIR")
            .ok_or("TRUNK_STAGING_DIR is not set: this is trunk's hook")?,
    );
    let index = staging.join("index.html");
    let html = read(&index)?;
    let html = pack::pack(&staging, &without_comments(&html))?;
    // Under `trunk serve` trunk adds an inline script that reloads the page; a CSP would forbid it.
    if html.contains(".well-known/trunk/ws") {
        return write(&index, &html);
    }
    let html = offline::add(&staging, &with_csp(&html))?;
    write(&index, &html)
}

/// How the page is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Dev,
    Release,
}

impl Mode {
    fn from_args(args: &[String]) -> Self {
        if args.iter().any(|arg| arg == "--dev") { Self::Dev } else { Self::Release }
    }

    fn flag(self) -> &'static [&'static str] {
        match self {
            Self::Dev => &[],
            Self::Release => &["--release"],
        }
    }
}

fn set_up(mode: Mode) -> Outcome {
    println!("set-up: on a fresh machine about 5 minutes on two cores, afterwards a second");
    setup::for_page()?;
    if mode == Mode::Release {
        setup::wasm_opt()
            .map_err(|why| format!("{why}\nWithout it: `cargo xtask serve --dev`."))?;
    }
    Ok(())
}

/// index.html's comments are for its developers.
fn without_comments(html: &str) -> String {
    let mut parts = html.split("<!--");
    let mut kept = parts.next().unwrap_or_default().to_string();
    for part in parts {
        kept.push_str(part.split_once("-->").map_or("", |(_, rest)| rest).trim_start_matches('\n'));
    }
    kept
}

fn with_csp(html: &str) -> String {
    let meta = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{CSP}\">");
    html.replacen("<meta charset=\"utf-8\">", &format!("<meta charset=\"utf-8\">\n  {meta}"), 1)
}

fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return false };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let asked = write!(stream, "GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
    let mut start = [0; 12];
    asked.is_ok() && stream.read_exact(&mut start).is_ok() && start.ends_with(b" 200")
}

#[cfg(unix)]
fn is_parent_alive() -> bool {
    std::os::unix::process::parent_id() != 1
}

#[cfg(not(unix))]
fn is_parent_alive() -> bool {
    true
}

#[cfg(unix)]
fn replace_by(mut command: std::process::Command) -> Outcome {
    use std::os::unix::process::CommandExt;
    Err(format!("trunk did not start: {}", command.exec()))
}

#[cfg(not(unix))]
fn replace_by(mut command: std::process::Command) -> Outcome {
    run(&mut command)
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The folder of the release page, if that is what lies there.
pub(crate) fn dist() -> Outcome<PathBuf> {
    let dist = root().join("dist");
    match fs::read_to_string(dist.join("index.html")) {
        Ok(html) if html.contains(CSP) => Ok(dist),
        Ok(_) => Err("dist/ holds a development page: `cargo xtask build` makes the release page."
            .to_string()),
        Err(_) => Err("There is no page in dist/ yet: `cargo xtask build` makes it.".to_string()),
    }
}
