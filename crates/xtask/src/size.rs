//! What the first load of the page weighs over the wire: every file of dist/ but the texts that are
//! fetched when somebody wants to read them; compressed by gzip as any static host does it, and by
//! brotli, as some do.

use crate::{
    page,
    shell::{Outcome, command},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

/// The whole first load, compressed.
const LIMIT: u64 = 700_000;

/// Fetched when the page is drawn: texts on demand, save the first scene's, and the service worker.
const LATER: [&str; 3] = ["lessons", "docs", "sw.js"];
const FIRST: &str = "lessons/eight-on-one-cpu.md";

/// Prints a table and fails over the limit.
pub(crate) fn check() -> Outcome {
    let dist = page::dist()?;
    let mut files = Vec::new();
    collect(&dist, &mut files)?;
    let mut rows = Vec::new();
    let later = |name: &Path| {
        name != Path::new(FIRST) && LATER.iter().any(|folder| name.starts_with(folder))
    };
    files.retain(|file| !later(file.strip_prefix(&dist).unwrap_or(file)));
    for file in files {
        let raw = fs::metadata(&file).map_err(|error| error.to_string())?.len();
        // A picture or font gets no smaller; a host sends it as it is.
        let sent = gzipped(&file)?.min(raw);
        let brotli = brotli(&file)?.min(raw);
        let name = file.strip_prefix(&dist).unwrap_or(&file).display().to_string();
        rows.push((sent, brotli, raw, name));
    }
    rows.sort_by(|a, b| b.cmp(a));
    println!("{:>10} {:>10} {:>10}  file", "gzip -9", "brotli 11", "bytes");
    for (sent, brotli, raw, name) in &rows {
        println!("{sent:>10} {brotli:>10} {raw:>10}  {name}");
    }
    let sent: u64 = rows.iter().map(|row| row.0).sum();
    let brotli: u64 = rows.iter().map(|row| row.1).sum();
    let raw: u64 = rows.iter().map(|row| row.2).sum();
    println!("{sent:>10} {brotli:>10} {raw:>10}  in all; the limit is {LIMIT} by gzip");
    if sent > LIMIT {
        return Err(format!("the page is {} bytes over its limit of {LIMIT} (gzip)", sent - LIMIT));
    }
    Ok(())
}

/// Node has brotli built in, and the set-up has seen to node.
fn brotli(file: &Path) -> Outcome<u64> {
    let script = "const {readFileSync:r}=require('fs'),z=require('zlib');\
                  console.log(z.brotliCompressSync(r(process.argv[1])).length)";
    let output = command("node")
        .args(["-e", script])
        .arg(file)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("node did not start: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.trim().parse().map_err(|_| "brotli by node failed".to_string())
}

fn gzipped(file: &Path) -> Outcome<u64> {
    let output = command("gzip")
        .args(["-9", "-c", "-n"])
        .arg(file)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("gzip did not start: {error}"))?;
    if output.status.success() {
        Ok(output.stdout.len() as u64)
    } else {
        Err("gzip failed".to_string())
    }
}

pub(crate) fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> Outcome {
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into)?;
        } else {
            into.push(path);
        }
    }
    Ok(())
}
