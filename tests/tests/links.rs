//! Links between the project's own documents lead somewhere: to a file, and to a heading of it.

use std::{
    fs,
    path::{Path, PathBuf},
};

#[test]
fn links_of_documents_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root");
    let mut documents = Vec::new();
    collect(root, &mut documents);
    assert!(!documents.is_empty(), "no document was found in {}", root.display());
    let problems: Vec<String> = documents
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).expect("a readable document");
            let name = path.strip_prefix(root).expect("below the root").display().to_string();
            check(path, &text).into_iter().map(move |problem| format!("{name}:{problem}"))
        })
        .collect();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// The problems of one document: its line and a sentence each.
fn check(path: &Path, text: &str) -> Vec<String> {
    let folder = path.parent().expect("a document lies in a folder");
    let mut problems = Vec::new();
    for (line, target) in links(text) {
        // Other hosts are not asked, and `?…` opens our own page.
        if target.contains("://") || target.starts_with("mailto:") || target.starts_with('?') {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let file = file.replace("%20", " ");
        let file = if file.is_empty() { path.to_path_buf() } else { folder.join(file) };
        if file != path && !file.exists() {
            problems.push(format!("{line}: `{target}` leads to no file"));
        } else if !anchor.is_empty() && file.extension().is_some_and(|ext| ext == "md") {
            let there = if file == path {
                text.to_string()
            } else {
                fs::read_to_string(&file).unwrap_or_default()
            };
            if !anchors(&there).contains(&anchor.to_string()) {
                problems.push(format!("{line}: `{target}` leads to no heading"));
            }
        }
    }
    problems
}

/// Targets of `[text](target)`, `![picture](target)` and `[name]: target`, with their lines from 1.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        if let Some((name, target)) =
            line.trim_start().strip_prefix('[').and_then(|l| l.split_once("]: "))
            && !name.contains(']')
        {
            found.push((number, target.split_whitespace().next().unwrap_or_default().to_string()));
        }
        let mut rest = line.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let target = after.split(')').next().unwrap_or_default();
            // [text](target "title")
            let target = target.split_whitespace().next().unwrap_or_default();
            found.push((number, target.trim_matches(['<', '>']).to_string()));
            rest = after;
        }
    }
    found
}

/// What `#…` can lead to: headings as GitHub names them, and `id="…"`.
fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        if line.starts_with('#') && line.trim_start_matches('#').starts_with(' ') {
            let slug = slug(line.trim_start_matches('#'));
            let before = found.iter().filter(|other| **other == slug).count();
            if before > 0 {
                found.push(format!("{slug}-{before}"));
            }
            found.push(slug);
        }
        found.extend(
            line.split("id=\"").skip(1).filter_map(|l| l.split('"').next()).map(String::from),
        );
    }
    found
}

fn slug(heading: &str) -> String {
    let heading = heading.trim().replace(['`', '*'], "");
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Lines outside fenced code, numbered from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fence = None;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => lines.push((index + 1, line)),
            _ => {}
        }
    }
    lines
}

/// A line with its `code` spans emptied.
fn without_code(line: &str) -> String {
    line.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "" }).collect()
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    const NOT_OURS: &[&str] = &["target", "dist", "node_modules", "pkg"];
    let mut entries: Vec<_> = fs::read_dir(folder).expect("a readable folder").flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !NOT_OURS.contains(&name.as_str()) {
                collect(&path, into);
            }
        } else if path.extension().is_some_and(|ext| ext == "md") {
            into.push(path);
        }
    }
}

/// The check bites: bad links are found, and what is no link is not.
mod check_bites {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sample.md"), text)
    }

    #[test]
    fn on_missing_files_and_headings() {
        let text = "# A *title*, here\n[a](nowhere.md) [b](Cargo.toml) [c](#a-title-here)\n\
                    ![d](no.png \"x\") [e](#elsewhere)\n\n[f]: gone.md\n";
        let expected = [
            "2: `nowhere.md` leads to no file",
            "3: `no.png` leads to no file",
            "3: `#elsewhere` leads to no heading",
            "5: `gone.md` leads to no file",
        ];
        assert_eq!(problems(text), expected);
    }

    #[test]
    fn but_not_on_code_or_other_hosts() {
        let text = "```\n[a](nowhere.md)\n```\n`[b](nowhere.md)` \
                    [c](https://example.org/x#y) [d](?lab=x)\n";
        assert_eq!(problems(text), [""; 0]);
    }

    #[test]
    fn headings_of_one_name_are_numbered() {
        assert_eq!(
            anchors("# Set-up `x`\n## Set-up `x`\n<a id=\"here\"></a>\n"),
            ["set-up-x", "set-up-x-1", "set-up-x", "here"]
        );
    }
}
