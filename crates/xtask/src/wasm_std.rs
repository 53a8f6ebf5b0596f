//! The standard library for wasm where rustup's server is not reached: from Debian's `rust-src`.
//!
//! Debian's package of the same rustc version is unpacked beside the toolchain for the time of the
//! build, cargo builds `std` from it, and the libraries go where `rustup target add` would put
//! them. The machine's own apt configuration is not touched.

use crate::shell::{Outcome, command, line, may_use_apt, on_path, output, run, tools};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const TARGET: &str = "wasm32-unknown-unknown";

/// Whether this rustc can compile for wasm.
pub(crate) fn is_installed() -> Outcome<bool> {
    let folder = library_folder()?;
    let Ok(entries) = fs::read_dir(folder) else { return Ok(false) };
    let has_core = entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    });
    Ok(has_core)
}

/// Builds the target's libraries and puts them into the toolchain.
pub(crate) fn build() -> Outcome {
    let folder = library_folder()?;
    let sysroot = PathBuf::from(output(&mut line("rustc --print sysroot"))?);
    let source = sysroot.join("lib/rustlib/src/rust/library");
    let borrowed = !source.is_dir();
    if borrowed {
        let unpacked = debian_source()?;
        copy(&unpacked, &source)?;
    }
    let built = build_std();
    if borrowed {
        // rustup would take these files for somebody else's later.
        let _ = fs::remove_dir_all(sysroot.join("lib/rustlib/src"));
    }
    let built = built?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in fs::read_dir(&built).map_err(|error| error.to_string())?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".rlib") && !name.starts_with("libstd_for_wasm") {
            fs::copy(entry.path(), folder.join(&*name)).map_err(|error| error.to_string())?;
        }
    }
    let _ = fs::remove_dir_all(work());
    if is_installed()? { Ok(()) } else { Err("the build gave no libcore".to_string()) }
}

/// `cargo build -Zbuild-std` of an empty crate; gives the folder with the libraries.
fn build_std() -> Outcome<PathBuf> {
    let package = work().join("std-for-wasm");
    let write = |name: &str, text: &str| {
        let file = package.join(name);
        fs::create_dir_all(file.parent().expect("a file lies in a folder"))
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| format!("{}: {error}", file.display()))
    };
    write("Cargo.toml", "[package]\nname = \"std-for-wasm\"\nedition = \"2024\"\n[workspace]\n")?;
    write("src/lib.rs", "//! Empty: only the standard library is wanted.\n")?;
    let mut cargo =
        line("cargo build --quiet --release -Zbuild-std=std,panic_abort,proc_macro,test --target");
    cargo.arg(TARGET).current_dir(&package);
    cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Cembed-bitcode=yes");
    cargo.env("CARGO_TARGET_DIR", work().join("target"));
    run(&mut cargo)?;
    Ok(work().join("target").join(TARGET).join("release/deps"))
}

/// Downloads and unpacks Debian's source of exactly this rustc; gives its `library` folder.
fn debian_source() -> Outcome<PathBuf> {
    let release = output(&mut line("rustc -vV"))?;
    let version =
        release.lines().find_map(|line| line.strip_prefix("release: ")).unwrap_or_default();
    // `apt-get download` needs no root, but lists of its own are only read by an apt that is there.
    if !may_use_apt() && on_path(&["apt-get"]).is_none() {
        return Err(format!("there is no apt-get to fetch the source of rustc {version} with"));
    }
    let apt = Apt::new()?;
    run(apt.command("apt-get").args(["-qq", "update"]))?;
    let known = output(apt.command("apt-cache").args(["madison", "rust-src"]))?;
    let wanted = known
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .find(|found| found.strip_prefix(version).is_some_and(|rest| rest.starts_with(['+', '-'])))
        .ok_or_else(|| format!("Debian has no rust-src {version}"))?
        .to_string();
    let mut download = apt.command("apt-get");
    download.args(["-qq", "download"]).arg(format!("rust-src={wanted}")).current_dir(&apt.folder);
    run(&mut download)?;
    let package = fs::read_dir(&apt.folder)
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ext| ext == "deb"))
        .ok_or("apt-get download gave no package")?;
    let unpacked = work().join("source");
    run(command("dpkg").arg("-x").arg(package).arg(&unpacked))?;
    Ok(unpacked.join(format!("usr/src/rustc-{version}/library")))
}

/// apt with sources, lists and cache of its own.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn new() -> Outcome<Self> {
        let folder = work().join("apt");
        let make = |path: &str| {
            fs::create_dir_all(folder.join(path)).map_err(|error| format!("{path}: {error}"))
        };
        make("lists/partial")?;
        make("cache/archives/partial")?;
        let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let suites = ["trixie-backports", "trixie", "sid"];
        let sources = suites.map(|suite| {
            format!("deb [signed-by={key}] http://deb.debian.org/debian {suite} main\n")
        });
        fs::write(folder.join("sources.list"), sources.concat())
            .map_err(|error| error.to_string())?;
        Ok(Self { folder })
    }

    fn command(&self, program: &str) -> Command {
        let at = |name: &str| self.folder.join(name).display().to_string();
        let mut command = command(program);
        for option in [
            format!("Dir::Etc::sourcelist={}", at("sources.list")),
            "Dir::Etc::sourceparts=/dev/null".to_string(),
            format!("Dir::State::lists={}", at("lists")),
            format!("Dir::Cache={}", at("cache")),
            "APT::Sandbox::User=root".to_string(),
        ] {
            command.args(["-o", &option]);
        }
        command
    }
}

fn library_folder() -> Outcome<PathBuf> {
    output(&mut line("rustc --print target-libdir --target wasm32-unknown-unknown"))
        .map(PathBuf::from)
}

fn work() -> PathBuf {
    tools().join("wasm-std")
}

fn copy(from: &Path, to: &Path) -> Outcome {
    let parent = to.parent().expect("a folder lies in a folder");
    fs::create_dir_all(parent).map_err(|error| {
        format!(
            "{} cannot be written ({error}); run the command as the toolchain's owner",
            parent.display()
        )
    })?;
    run(command("cp").arg("-r").arg(from).arg(to))
}
