//! The npm package of `crates/js`: the engine for JavaScript users, in Node and in browsers.

use crate::shell::{Outcome, command, line, root, run};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Builds `crates/js/pkg`: a build for Node, one for browsers and bundlers, types, package.json.
pub(crate) fn build() -> Outcome {
    run(&mut line(
        "cargo build -p schedscope-js --lib --target wasm32-unknown-unknown --profile wasm-release",
    ))?;
    let package = root().join("crates/js/pkg");
    let _ = fs::remove_dir_all(&package);
    for (folder, target) in [("node", "nodejs"), ("web", "web")] {
        let mut bindgen = line("wasm-bindgen --out-name schedscope --target");
        bindgen.arg(target).arg("--out-dir").arg(package.join(folder)).arg(wasm());
        run(&mut bindgen)?;
        let wasm = package.join(folder).join("schedscope_bg.wasm");
        let features = ["--enable-bulk-memory", "--enable-nontrapping-float-to-int"];
        run(command("wasm-opt").arg("-O3").args(features).arg(&wasm).arg("-o").arg(&wasm))?;
    }
    // wasm-bindgen writes CommonJS for Node.
    write(&package.join("node/package.json"), "{ \"type\": \"commonjs\" }\n")?;
    write(&package.join("web/package.json"), "{ \"type\": \"module\", \"sideEffects\": false }\n")?;
    write(&package.join("package.json"), &manifest())?;
    for file in ["crates/js/README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        let from = root().join(file);
        let name = from.file_name().expect("a file has a name");
        fs::copy(&from, package.join(name)).map_err(|error| format!("{file}: {error}"))?;
    }
    println!("the npm package is in crates/js/pkg; `npm pack ./crates/js/pkg` makes the archive");
    Ok(())
}

/// Builds the package, then runs `crates/js/tests/*.test.mjs` against it.
pub(crate) fn test() -> Outcome {
    build()?;
    let folder = root().join("crates/js/tests");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut tests: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    tests.retain(|path| path.to_string_lossy().ends_with(".test.mjs"));
    tests.sort();
    if tests.is_empty() {
        return Err("crates/js/tests has no *.test.mjs".to_string());
    }
    run(command("node").arg("--test").args(tests))
}

fn manifest() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        r#"{{
  "name": "schedscope",
  "version": "{version}",
  "description": "The Linux CPU scheduler as a deterministic simulation: run, step, seek, explain",
  "license": "MIT OR Apache-2.0",
  "keywords": ["linux", "scheduler", "eevdf", "simulation", "wasm"],
  "exports": {{
    ".": {{
      "node": {{ "types": "./node/schedscope.d.ts", "default": "./node/schedscope.js" }},
      "default": {{ "types": "./web/schedscope.d.ts", "default": "./web/schedscope.js" }}
    }},
    "./schedscope_bg.wasm": "./web/schedscope_bg.wasm"
  }},
  "files": ["node", "web"],
  "engines": {{ "node": ">=18" }}
}}
"#
    )
}

/// Where cargo put the library.
fn wasm() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    target.join("wasm32-unknown-unknown/wasm-release/schedscope_js.wasm")
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
