//! The house rules that a compiler does not hold: who may depend on whom, what each crate never
//! mentions, how a file begins, how wide a line is, and that no file is dead.
//!
//! Every rule is a function from files to problems, and has a bad sample of its own that must fail.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
};

/// What each package may depend on within the workspace: always downwards.
const LAYERS: &[(&str, &[&str])] = &[
    ("sim", &[]),
    ("scenario", &["sim"]),
    ("analysis", &["sim"]),
    ("vectors", &["sim"]),
    ("session", &["analysis", "scenario", "sim"]),
    ("ui", &["session", "analysis", "scenario", "sim"]),
    ("cli", &["session", "analysis", "scenario", "vectors", "sim"]),
    ("js", &["session", "analysis", "scenario", "sim"]),
    ("web", &["ui", "session", "analysis", "scenario", "sim"]),
    ("tests", &["ui", "session", "analysis", "scenario", "vectors", "cli", "sim"]),
    ("xtask", &[]),
];

/// Crates from outside that only these packages may have.
const KEPT_TO: &[(&str, &[&str])] = &[
    ("yew", &["web"]),
    ("gloo", &["web"]),
    ("web-sys", &["web"]),
    ("js-sys", &["web", "js"]),
    ("wasm-bindgen", &["web", "js"]),
    ("serde-wasm-bindgen", &["js"]),
    ("getrandom", &["web", "js"]),
];

/// Words that may stand nowhere in our Rust files: unfinished work and debris.
const BANNED: &[(&str, &str)] = &[
    (concat!("todo", "!("), "finish it, or state today's behaviour in a test and docs/model.md"),
    (concat!("unimplemented", "!("), "give the reader a sentence, or make the case unspeakable"),
    (concat!("dbg", "!("), "leftover"),
    (concat!("FIX", "ME"), "mend it, or make it a row of docs/model.md"),
    (concat!("#[ig", "nore"), "a known gap is a passing test that states today's behaviour"),
];

/// Words that code of one folder never mentions (comments and strings may).
const BANNED_IN: &[(&str, &[&str], &str)] = &[
    ("crates/sim/src/", &["f32", "f64"], "the engine is integer arithmetic only"),
    ("crates/sim/src/", &["Instant", "SystemTime"], "the engine has no clock but State::now"),
    ("crates/sim/src/", &["HashMap", "HashSet"], "iteration order differs from run to run"),
    ("crates/sim/src/", &["println", "eprintln", "print"], "the engine is silent"),
    ("crates/sim/src/", &["thread_local", "serde", "Rc", "RefCell"], "State is plain data"),
    ("crates/ui/src/", &["web_sys", "yew", "js_sys", "wasm_bindgen"], "ui knows no browser"),
    ("crates/session/src/", &["web_sys", "js_sys", "wasm_bindgen"], "session knows no browser"),
];

const COLUMNS_MAX: usize = 100;
/// The same where `html!` nests.
const MARKUP_MAX: usize = 160;

// ---- the rules ----

/// Dependencies point down; outside crates stay where they belong; the engine has none.
fn check_layers(manifests: &[Manifest]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for manifest in manifests {
        let name = manifest.package.as_str();
        let mut add = |line: usize, text: String| {
            problems.push(Problem { path: manifest.path.clone(), line, text });
        };
        let Some((_, allowed)) = LAYERS.iter().find(|(package, _)| *package == name) else {
            add(1, format!("`{name}` has no row in the layers of tests/tests/tidy.rs"));
            continue;
        };
        for dependency in &manifest.dependencies {
            let on = dependency.name.as_str();
            if name == "sim" && !dependency.is_dev {
                add(dependency.line, format!("sim has no dependency at all, not even `{on}`"));
            }
            if let Some(ours) = on.strip_prefix("schedscope-") {
                let is_rule = !dependency.is_dev || LAYERS.iter().all(|(known, _)| *known != ours);
                if is_rule && !allowed.contains(&ours) {
                    add(dependency.line, format!("`{name}` must not depend on `{ours}`"));
                }
            }
            let kept = KEPT_TO.iter().find(|(outside, _)| *outside == on);
            if let Some((_, homes)) = kept.filter(|(_, homes)| !homes.contains(&name)) {
                add(dependency.line, format!("`{on}` is for {} only", homes.join(" and ")));
            }
        }
    }
    problems
}

/// Every file says on line one why it is there.
fn check_header(file: &File) -> Vec<Problem> {
    let first = file.text.lines().next().unwrap_or_default();
    if first.starts_with("//! ") {
        return Vec::new();
    }
    vec![file.problem(1, "line one does not say what the file is for (`//! …`)")]
}

/// No unfinished work, and no word that the file's crate never mentions.
fn check_words(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for (word, why) in BANNED.iter().filter(|(word, _)| line.contains(word)) {
            problems.push(file.problem(index + 1, &format!("`{word}`: {why}")));
        }
    }
    let code = code_only(&file.text);
    for (folder, words, why) in BANNED_IN.iter().filter(|(dir, ..)| file.path.starts_with(dir)) {
        for (index, line) in code.lines().enumerate() {
            for word in identifiers(line).filter(|word| words.contains(word)) {
                problems.push(file.problem(index + 1, &format!("`{word}` in {folder}: {why}")));
            }
        }
    }
    if file.path.starts_with("crates/sim/src/") {
        for (index, line) in code.lines().enumerate().filter(|(_, line)| has_float_literal(line)) {
            let text = format!("a floating-point number: {}", line.trim());
            problems.push(file.problem(index + 1, &text));
        }
    }
    problems
}

/// Lines that fit beside another window. Strings may run over, since rustfmt does not break them
/// and a sentence is easier found whole; so may addresses, and the markup of the page, which
/// rustfmt leaves alone.
fn check_width(file: &File) -> Vec<Problem> {
    let columns_max = if file.path.starts_with("web/src/") { MARKUP_MAX } else { COLUMNS_MAX };
    let lines: Vec<&str> = file.text.lines().collect();
    let (mut problems, mut line_before, mut column) = (Vec::new(), usize::MAX, 0);
    scan(&file.text, |line, place, c| {
        column = if line == line_before { column + 1 } else { 1 };
        line_before = line;
        let is_over = column == columns_max + 1 && c != '\n';
        if is_over && matches!(place, Place::Code | Place::Comment) && !lines[line].contains("://")
        {
            let columns = lines[line].chars().count();
            let text = format!("{columns} columns, more than {columns_max}");
            problems.push(file.problem(line + 1, &text));
        }
    });
    problems
}

/// Every file is reached from a crate's root by `mod` (or `include!`).
fn check_dead(files: &[File]) -> Vec<Problem> {
    let texts: BTreeMap<&str, &str> =
        files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    let mut reached: BTreeSet<String> =
        texts.keys().filter(|path| is_root(path)).map(|path| (*path).to_string()).collect();
    let mut waiting: Vec<String> = reached.iter().cloned().collect();
    while let Some(path) = waiting.pop() {
        for child in children(&path, texts[path.as_str()]) {
            if texts.contains_key(child.as_str()) && reached.insert(child.clone()) {
                waiting.push(child);
            }
        }
    }
    files
        .iter()
        .filter(|file| !reached.contains(&file.path))
        .map(|file| file.problem(1, "a dead file: no `mod` leads here"))
        .collect()
}

// ---- the tests ----

#[test]
fn dependencies_point_down() {
    expect_none(check_layers(&manifests()));
}

#[test]
fn files_say_what_they_are_for() {
    expect_none(files().iter().flat_map(check_header).collect());
}

#[test]
fn no_banned_words() {
    expect_none(files().iter().flat_map(check_words).collect());
}

#[test]
fn lines_fit() {
    expect_none(files().iter().flat_map(check_width).collect());
}

#[test]
fn no_dead_files() {
    expect_none(check_dead(&files()));
}

/// The rules bite: each bad sample gives exactly the problem it is made for.
mod rules_bite {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_string(), text: text.to_string() }
    }

    /// The lines that `rule` complains about.
    fn lines_of(problems: &[Problem]) -> Vec<usize> {
        problems.iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn on_upward_dependencies() {
        let text = "[package]\nname = \"schedscope-sim\"\n[dependencies]\nserde.workspace = true\n\
                    schedscope-ui = { path = \"../ui\" }\n[dev-dependencies]\nproptest = \"1\"\n";
        let sim = Manifest::parse("crates/sim/Cargo.toml", text);
        // serde: no dependency; ui: no dependency, and not downwards.
        assert_eq!(lines_of(&check_layers(&[sim])), [4, 5, 5]);
    }

    #[test]
    fn on_a_browser_in_the_interface() {
        let text = "[package]\nname = \"schedscope-ui\"\n\n[dependencies.yew]\nversion = \"0.23\"\n\
                    [target.'cfg(target_arch = \"wasm32\")'.dependencies]\nweb-sys = \"0.3\"\n";
        let ui = Manifest::parse("crates/ui/Cargo.toml", text);
        assert_eq!(lines_of(&check_layers(&[ui])), [4, 7]);
    }

    #[test]
    fn on_a_package_without_a_layer() {
        let text = "[package]\nname = \"schedscope-attic\"\n";
        let attic = Manifest::parse("crates/attic/Cargo.toml", text);
        assert_eq!(lines_of(&check_layers(&[attic])), [1]);
    }

    #[test]
    fn on_a_missing_header() {
        assert_eq!(check_header(&file("crates/ui/src/a.rs", "use std::fmt;\n")).len(), 1);
        assert_eq!(check_header(&file("crates/ui/src/a.rs", "")).len(), 1);
        assert_eq!(check_header(&file("crates/ui/src/a.rs", "//! Names.\n")).len(), 0);
    }

    #[test]
    fn on_unfinished_work() {
        let lines = [
            concat!("todo", "!()"),
            concat!("dbg", "!(x)"),
            concat!("// FIX", "ME"),
            concat!("#[ig", "nore = \"slow\"]"),
            concat!("unimplemented", "!(\"x\")"),
            "fine",
        ];
        assert_eq!(
            lines_of(&check_words(&file("crates/ui/src/a.rs", &lines.join("\n")))),
            [1, 2, 3, 4, 5]
        );
    }

    #[test]
    fn on_floats_in_the_engine_but_not_in_its_comments() {
        let text = "//! A share of 0.5.\nlet a: f64 = b;\nlet c = 1.5;\nlet d = e.0.1;\n\
                    /* f32 */ let s = \"f64 1.5\"; let r = 0..1;\n\
                    let g = 2e3 as u64;\nlet h = 0x1e3;\n";
        assert_eq!(lines_of(&check_words(&file("crates/sim/src/a.rs", text))), [2, 3, 6]);
        assert_eq!(check_words(&file("crates/ui/src/a.rs", text)).len(), 0);
    }

    #[test]
    fn on_a_clock_in_the_engine() {
        let text = "//! Time.\nuse std::time::Instant;\n";
        assert_eq!(lines_of(&check_words(&file("crates/sim/src/a.rs", text))), [2]);
    }

    #[test]
    fn on_a_browser_in_the_code_of_the_interface() {
        let text = "//! Knows no web_sys.\nuse web_sys::Window;\nlet yews = 1;\n";
        assert_eq!(lines_of(&check_words(&file("crates/ui/src/a.rs", text))), [2]);
    }

    #[test]
    fn on_wide_code_and_comments_but_not_strings() {
        let wide = "x".repeat(COLUMNS_MAX + 1);
        let fits = "x".repeat(COLUMNS_MAX);
        let text = format!(
            "{wide}\nlet t = r#\"\n{wide}\n\"#;\n// {wide}\n// https://{wide}\n{fits}\n\"{wide}\"\n"
        );
        assert_eq!(lines_of(&check_width(&file("crates/ui/src/a.rs", &text))), [1, 5]);
    }

    #[test]
    fn on_dead_files() {
        let all = [
            file("crates/ui/src/lib.rs", "//! x\npub mod a;\n// mod never;\nmod c { }\n"),
            file("crates/ui/src/a.rs", "pub(crate) mod b;\n#[path = \"odd.rs\"]\nmod even;\n"),
            file("crates/ui/src/a/b.rs", ""),
            file("crates/ui/src/a/odd.rs", ""),
            file("crates/ui/src/never.rs", ""),
            file("crates/ui/src/bin/tool.rs", ""),
            file(
                "crates/ui/tests/flow.rs",
                "#[path = \"../src/shared/x.rs\"]\nmod x;\nmod help;\n",
            ),
            file("crates/ui/tests/help/mod.rs", ""),
            file("crates/ui/src/shared/x.rs", ""),
        ];
        let dead: Vec<_> = check_dead(&all).into_iter().map(|problem| problem.path).collect();
        // `#[path]` counts from the file's own folder: a/odd.rs is another file than odd.rs.
        assert_eq!(dead, ["crates/ui/src/a/odd.rs", "crates/ui/src/never.rs"]);
    }

    #[test]
    fn on_code_that_hides_in_comments_and_strings() {
        let text = "a /* b /* c */ d */ e // f\n\"g \\\" h\" 'i' 'j r#\"k\n\" l\"# m '\\'' n\n";
        let words: Vec<_> = code_only(text).lines().map(str::to_string).collect();
        let words: Vec<_> = words.iter().flat_map(|line| identifiers(line)).collect();
        assert_eq!(words, ["a", "e", "j", "m", "n"]);
    }
}

// ---- reading the repository ----

/// A complaint: where, and what.
struct Problem {
    path: String,
    line: usize,
    text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.text)
    }
}

/// A Rust file, its path from the root with `/`.
struct File {
    path: String,
    text: String,
}

impl File {
    fn problem(&self, line: usize, text: &str) -> Problem {
        Problem { path: self.path.clone(), line, text: text.to_string() }
    }
}

/// What the layering rule needs of a Cargo.toml.
struct Manifest {
    path: String,
    /// Without `schedscope-`.
    package: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    line: usize,
    is_dev: bool,
}

impl Manifest {
    fn parse(path: &str, text: &str) -> Self {
        let mut manifest =
            Self { path: path.to_string(), package: String::new(), dependencies: vec![] };
        let mut section = String::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                section = header.trim_matches(['[', ']']).to_string();
                // [dependencies.yew]
                if let Some((table, name)) = section.rsplit_once('.')
                    && table.ends_with("dependencies")
                {
                    manifest.add(table, name, index + 1);
                }
            } else if section == "package"
                && let Some(name) = line.strip_prefix("name = \"schedscope-")
            {
                manifest.package = name.trim_end_matches('"').to_string();
            } else if section.ends_with("dependencies")
                && let Some((name, _)) = line.split_once(['.', '=', ' '])
                && !name.starts_with('#')
            {
                let section = section.clone();
                manifest.add(&section, name, index + 1);
            }
        }
        manifest
    }

    fn add(&mut self, table: &str, name: &str, line: usize) {
        let name = name.trim().trim_matches('"').to_string();
        self.dependencies.push(Dependency { name, line, is_dev: table.contains("dev-") });
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root").to_path_buf()
}

fn files() -> Vec<File> {
    let paths = walk(&root(), "rs");
    assert!(paths.len() > 20, "only {} Rust files were found", paths.len());
    paths.into_iter().map(|path| File { text: read(&path), path }).collect()
}

fn manifests() -> Vec<Manifest> {
    let paths = walk(&root(), "toml").into_iter().filter(|path| path.ends_with("/Cargo.toml"));
    let manifests: Vec<_> = paths.map(|path| Manifest::parse(&path, &read(&path))).collect();
    assert!(manifests.len() >= LAYERS.len(), "only {} manifests were found", manifests.len());
    manifests
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Files below `folder` with an extension, from the root with `/`, sorted; nothing that is built.
fn walk(folder: &Path, extension: &str) -> Vec<String> {
    const NOT_OURS: &[&str] = &["target", "dist", "node_modules", "pkg"];
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !NOT_OURS.contains(&name.as_str()) {
                found.extend(walk(&path, extension));
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            let relative = path.strip_prefix(root()).expect("walked from the root");
            found.push(relative.to_string_lossy().replace('\\', "/"));
        }
    }
    found.sort();
    found
}

fn expect_none(problems: Vec<Problem>) {
    let told: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert!(told.is_empty(), "{} problems:\n{}", told.len(), told.join("\n"));
}

// ---- reading Rust ----

/// Whether cargo compiles this file as the root of a crate.
fn is_root(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_bin = folder.ends_with("src/bin");
    let is_flat = ["tests", "benches", "examples"]
        .iter()
        .any(|kind| folder.rsplit('/').next() == Some(kind) && !folder.contains("/src/"));
    is_bin
        || is_flat
        || name == "build.rs"
        || path.ends_with("src/lib.rs")
        || path.ends_with("src/main.rs")
}

/// The files that a file's `mod` and `include!` lines lead to, existing or not.
fn children(path: &str, text: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').expect("files lie in folders");
    let stem = name.trim_end_matches(".rs");
    let own = if is_root(path) || stem == "mod" {
        folder.to_string()
    } else {
        format!("{folder}/{stem}")
    };
    let code = code_only(text);
    let mut found = Vec::new();
    let mut given: Option<String> = None;
    for (line, original) in code.lines().zip(text.lines()) {
        let quoted = || original.split('"').nth(1).map(|file| join(folder, file));
        if line.trim_start().starts_with("#[path") {
            given = quoted();
        } else if line.contains("include!(") {
            found.extend(quoted());
        }
        let words: Vec<&str> =
            line.split_whitespace().filter(|word| !word.starts_with("#[")).collect();
        let Some(at) = words.iter().position(|word| *word == "mod") else { continue };
        let Some(child) = words.get(at + 1).and_then(|word| word.strip_suffix(';')) else {
            continue;
        };
        match given.take() {
            Some(file) => found.push(file),
            None => found.extend([format!("{own}/{child}.rs"), format!("{own}/{child}/mod.rs")]),
        }
    }
    found
}

/// A path seen from a folder; `..` goes up.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Words of a line that could be names.
fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// `1.5`, `2e3`, but not `pair.0.1`, `0..1` or `0x1e3`. Wants code without comments and strings.
fn has_float_literal(code: &str) -> bool {
    let chars: Vec<char> = code.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let before = at.checked_sub(1).map(|i| chars[i]);
        let starts_number = chars[at].is_ascii_digit()
            && !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.');
        if !starts_number {
            at += 1;
            continue;
        }
        let is_decimal = !(chars[at] == '0' && matches!(chars.get(at + 1), Some('x' | 'b' | 'o')));
        let digits = |from: usize| {
            chars[from..].iter().take_while(|c| c.is_ascii_digit() || **c == '_').count()
        };
        let end = at + digits(at);
        let next_is_digit = chars.get(end + 1).is_some_and(char::is_ascii_digit);
        match chars.get(end) {
            Some('.') if is_decimal && next_is_digit => return true,
            Some('e' | 'E') if is_decimal && next_is_digit => return true,
            _ => {}
        }
        at = end;
        while chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
            at += 1;
        }
    }
    false
}

/// The text with comments, strings and characters blanked; lines stay where they are.
fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    scan(text, |_, place, c| code.push(if place == Place::Code || c == '\n' { c } else { ' ' }));
    code
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Code,
    Comment,
    String,
}

/// Tells `each` of every character: its line from 0, and where it stands.
fn scan(text: &str, mut each: impl FnMut(usize, Place, char)) {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut line = 0;
    let mut i = 0;
    while i < chars.len() {
        let (place, length) = token(&chars, i, at);
        for c in &chars[i..(i + length).min(chars.len())] {
            each(line, place, *c);
            line += usize::from(*c == '\n');
        }
        i += length;
    }
}

/// What begins at `i`, and how many characters it has.
fn token(chars: &[char], i: usize, at: impl Fn(usize) -> char) -> (Place, usize) {
    let find = |from: usize, what: &str| {
        let what: Vec<char> = what.chars().collect();
        (from..chars.len()).find(|j| chars[*j..].starts_with(&what)).map(|j| j + what.len())
    };
    let in_word = i > 0 && (at(i - 1).is_alphanumeric() || at(i - 1) == '_');
    match (at(i), at(i + 1)) {
        ('/', '/') => (Place::Comment, find(i, "\n").map_or(chars.len() - i, |end| end - 1 - i)),
        ('/', '*') => {
            let mut depth = 0;
            let mut j = i;
            while j < chars.len() {
                match (at(j), at(j + 1)) {
                    ('/', '*') => (depth, j) = (depth + 1, j + 2),
                    ('*', '/') => (depth, j) = (depth - 1, j + 2),
                    _ => j += 1,
                }
                if depth == 0 {
                    break;
                }
            }
            (Place::Comment, j - i)
        }
        ('r', '"' | '#') if !in_word || at(i - 1) == 'b' => {
            let hashes = (i + 1..).take_while(|j| at(*j) == '#').count();
            if at(i + 1 + hashes) != '"' {
                return (Place::Code, 1); // r#type
            }
            let close = format!("\"{}", "#".repeat(hashes));
            (Place::String, find(i + 2 + hashes, &close).unwrap_or(chars.len()) - i)
        }
        ('"', _) => {
            let mut j = i + 1;
            while j < chars.len() && at(j) != '"' {
                j += if at(j) == '\\' { 2 } else { 1 };
            }
            (Place::String, j + 1 - i)
        }
        // A character, not a lifetime.
        ('\'', '\\') => (Place::String, find(i + 3, "'").unwrap_or(chars.len()) - i),
        ('\'', _) if at(i + 2) == '\'' => (Place::String, 3),
        _ => (Place::Code, 1),
    }
}
