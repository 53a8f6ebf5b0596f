//! Running other programs, and finding them.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// What went wrong, as a sentence for the person at the terminal.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The repository's root, from where this crate was compiled.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // crates/xtask → the root
    here.ancestors().nth(2).expect("xtask lies two folders deep").to_path_buf()
}

/// The folder of the tools that set-up installs itself; not under version control.
pub(crate) fn tools() -> PathBuf {
    root().join(".tools")
}

/// A command in the repository's root that finds our own tools first.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).env("PATH", path_with_tools());
    // Both would otherwise ask servers that may not answer.
    command.env("TRUNK_SKIP_VERSION_CHECK", "true").env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    // cargo sets this for `cargo xtask`; what we start shall find its own.
    command.env_remove("CARGO_MANIFEST_DIR");
    command
}

/// `program args…`, split at spaces. For commands whose arguments hold no spaces.
pub(crate) fn line(text: &str) -> Command {
    let mut words = text.split_whitespace();
    let mut command = command(words.next().expect("a program's name"));
    command.args(words);
    command
}

/// Runs to the end, its output on ours.
pub(crate) fn run(command: &mut Command) -> Outcome {
    println!("$ {}", shown(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("`{}` did not start: {error}", shown(command)))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{}` failed ({status})", shown(command)))
}

/// Runs and gives what it printed, if it succeeded.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("`{}` did not start: {error}", shown(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_string());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed ({}): {}", shown(command), output.status, said.trim()))
}

/// Runs, but no longer than `limit`: then it is ended, which is a failure too.
pub(crate) fn run_within(limit: Duration, command: &mut Command) -> Outcome {
    println!("$ {}   (at most {} s)", shown(command), limit.as_secs());
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .map_err(|error| format!("`{}` did not start: {error}", shown(command)))?;
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("`{}` failed ({status})", shown(command))),
            None if start.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`{}` did not answer in time", shown(command)));
            }
            None => thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// The first of `names` that is on PATH (the user's own, without our tools).
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    names.iter().find_map(|name| {
        env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    })
}

/// Whether we may install Debian packages: root, and apt is there.
pub(crate) fn may_use_apt() -> bool {
    on_path(&["apt-get"]).is_some()
        && output(line("id -u").stderr(Stdio::null())).is_ok_and(|id| id == "0")
}

/// Installs Debian packages (as root; see [`may_use_apt`]).
pub(crate) fn apt_install(packages: &[&str]) -> Outcome {
    run(line("apt-get update -qq").env("DEBIAN_FRONTEND", "noninteractive"))?;
    run(line("apt-get install -y -qq --no-install-recommends")
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(Stdio::null()))
}

/// `4 min 05 s`, or `12.3 s`.
pub(crate) fn lasted(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        return format!("{}.{} s", seconds, time.subsec_millis() / 100);
    }
    format!("{} min {:02} s", seconds / 60, seconds % 60)
}

fn path_with_tools() -> std::ffi::OsString {
    let old = env::var_os("PATH").unwrap_or_default();
    let ours = [tools().join("bin")];
    env::join_paths(ours.into_iter().chain(env::split_paths(&old))).unwrap_or(old)
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
