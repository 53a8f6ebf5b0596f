//! The built binary, as people call it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const SCENARIO: &str = r#"schedscope = 1
title = "Two and a half"
machine = "cpu2"
kernel = "6.12"
end = "20ms"

[[task]]
name = "hog"
count = 2
program = "loop\nrun 10ms\nend"

[[task]]
name = "editor"
nice = -5
program = "loop\nrun 0.3ms\nsleep 1ms\nend"
"#;

fn schedscope(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_schedscope"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

/// A file that is there for one test.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let path = folder.join(format!("{}-{name}", std::process::id()));
        let mut file = std::fs::File::create(&path).expect("the folder is ours");
        file.write_all(text.as_bytes()).expect("it has room");
        File(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn complaint(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code));
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

#[test]
fn run_beside_shows_both_and_the_first_difference() {
    let file = File::new("beside.toml", SCENARIO);
    let text = out(&schedscope(&["run", file.path(), "--beside", "4.19"]));
    let lanes = text.lines().filter(|line| line.starts_with("CPU ")).count();
    assert_eq!(lanes, 4, "{text}");
    assert!(text.contains("first difference: At "), "{text}");
    let rows = |kernel: &str| {
        let row = |line: &&str| line.contains(kernel) && line.contains(" / ");
        text.lines().filter(row).count()
    };
    assert_eq!((rows("Linux 6.12"), rows("Linux 4.19")), (3, 3), "{text}");
    let same = out(&schedscope(&["run", file.path(), "--beside", "6.12"]));
    assert!(same.contains("first difference: No CPU has another task"), "{same}");
    let wrong = complaint(&schedscope(&["run", file.path(), "--beside", "4.91"]), 1);
    assert_eq!(wrong, "there is no kernel \"4.91\"; did you mean \"4.19\"?\n");
}

#[test]
fn run_shows_lanes_and_metrics() {
    let file = File::new("run.toml", SCENARIO);
    let text = out(&schedscope(&["run", file.path(), "--width", "40"]));
    assert!(text.starts_with("Two and a half: 2 CPUs"), "{text}");
    let lanes: Vec<&str> = text.lines().filter(|line| line.starts_with("CPU ")).collect();
    assert_eq!(lanes.len(), 2);
    for lane in &lanes {
        let (_, bars) = lane.split_once('|').expect("a lane");
        assert_eq!(bars.trim_end_matches('|').chars().count(), 40, "{lane}");
    }
    assert!(text.contains("A hog") && text.contains("B editor") && text.contains("digest "));
    assert_eq!(text, out(&schedscope(&["run", file.path(), "--width", "40"])), "the same twice");
    let part = out(&schedscope(&["run", file.path(), "--until", "5ms", "--cpus", "1"]));
    assert_eq!(part.lines().filter(|line| line.starts_with("CPU ")).count(), 1, "{part}");
}

#[test]
fn explain_says_what_and_why() {
    let file = File::new("explain.toml", SCENARIO);
    let text = out(&schedscope(&["explain", file.path(), "--at", "10ms"]));
    assert!(text.starts_with("event "), "{text}");
    // Some event near the start picks.
    let step = (1..30)
        .map(|step| step.to_string())
        .find(|step| {
            out(&schedscope(&["explain", file.path(), "--step", step])).contains("Pick on CPU")
        })
        .expect("a pick within 30 events");
    let text = out(&schedscope(&["explain", file.path(), "--step", &step]));
    assert!(text.contains("● Pick"), "{text}");
    let check = out(&schedscope(&["explain", file.path(), "--step", &step, "--check", "1"]));
    assert!(check.starts_with("event ") && check.contains("check 1: "), "{check}");
    let table = out(&schedscope(&["explain", file.path(), "--step", &step, "--markdown"]));
    assert!(table.contains("| check | result | why |"), "{table}");
    let none = schedscope(&["explain", file.path(), "--step", "1000000"]);
    assert!(complaint(&none, 1).contains("there is no event 1000000"));
    let none = schedscope(&["explain", file.path(), "--step", &step, "--check", "999"]);
    assert!(complaint(&none, 1).contains("there is no check 999"));
}

#[test]
fn problems_come_all_at_once_with_their_lines() {
    let text = SCENARIO.replace("cpu2", "toaster").replace("nice = -5", "nice = -50");
    let file = File::new("bad.toml", &text);
    let said = complaint(&schedscope(&["run", file.path()]), 1);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].starts_with(&format!("{}:3: ", file.path())), "{said}");
    assert!(lines[1].starts_with(&format!("{}:14: ", file.path())), "{said}");
    let said = complaint(&schedscope(&["run", "/no/such/file"]), 1);
    assert_eq!(said, "/no/such/file: there is no such file\n");
    assert!(complaint(&schedscope(&["dance"]), 2).contains("there is no command"));
}

#[test]
fn lessons_are_played_and_checked() {
    let text = "schedscope = 1\nmachine = \"cpu1\"\n[[task]]\nname = \"A\"\nprogram = \"run 1ms\"";
    let start = "## Start\n\nIt runs.\n\n```goto\nnext pick of A\n```\n\n```expect\npicks A\n```\n";
    let end = "## End\n\nIt ran.\n\n```goto\nend\n```\n\n```expect\nA ran 2ms\n```\n";
    let lesson = format!("# Two\n\n```toml\n{text}\n```\n\n{start}\n{end}");
    let file = File::new("lesson.md", &lesson.replace("2ms", "1ms"));
    let said = out(&schedscope(&["lesson", file.path()]));
    assert!(said.contains("## Start") && said.contains("A runs next"), "{said}");
    assert_eq!(out(&schedscope(&["lesson", file.path(), "--quiet"])), "");
    let file = File::new("wrong.md", &lesson);
    let said = schedscope(&["lesson", file.path(), "--quiet"]);
    assert_eq!(said.status.code(), Some(1));
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.starts_with("## End"), "{said}");
    assert!(said.contains("A ran 2ms: found 1000000"), "{said}");
}

#[test]
fn check_vectors_counts_and_fails() {
    // 6.12, nice 0: one task forks, is picked and runs 1 ms.
    let good = r#"{"kind":"task","ver":"6.12","nice":0,"weight":1024,"inv_weight":4194304,"v":[[1000,1000]]}"#;
    let file = File::new("good.jsonl", &format!("{good}\n"));
    let text = out(&schedscope(&["check-vectors", file.path()]));
    assert!(text.ends_with("\n1 passed, 0 failed\n"), "{text}");
    let bad = good.replace("[1000,1000]", "[1000,1001]");
    let file = File::new("bad.jsonl", &format!("{good}\n{bad}\n"));
    let output = schedscope(&["check-vectors", file.path()]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("expected 1001, got 1000"), "{text}");
    assert!(text.ends_with("\n1 passed, 1 failed\n"), "{text}");
    let file = File::new("odd.jsonl", "{\"what\":1}\n");
    let output = schedscope(&["check-vectors", file.path()]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("error: line 1: not a vector of a known kind"), "{text}");
}

#[test]
fn topologies_of_presets_scenarios_and_files() {
    let text = out(&schedscope(&["topology", "zen3-nps4"]));
    assert!(text.contains("    LLC 0: 0-7,128-135\n"), "{text}");
    assert!(text.contains("node distances:"), "{text}");
    assert!(text.lines().any(|line| line.trim_start().starts_with("MC ")), "{text}");
    let file = File::new("machine.toml", SCENARIO);
    assert!(out(&schedscope(&["topology", file.path()])).starts_with("cpu2: "));
    let table = "CPU NODE SOCKET CORE L1d:L1i:L2:L3\n0 0 0 0 0:0:0:0\n1 0 0 1 1:1:1:0\n";
    let file = File::new("lscpu.txt", table);
    let text = out(&schedscope(&["topology", file.path()]));
    assert!(text.contains("LLC 0: 0-1"), "{text}");
    let said = complaint(&schedscope(&["topology", "toaster"]), 1);
    assert!(said.contains("no such preset") && said.contains("zen3-nps4"), "{said}");
}

#[test]
fn exports() {
    let file = File::new("export.toml", SCENARIO);
    let of = |format| out(&schedscope(&["export", file.path(), "--as", format]));
    assert!(of("scenario").starts_with("schedscope = 1\n"));
    let csv = of("events.csv");
    let columns = csv.lines().next().expect("a heading").split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns));
    for line in of("events.jsonl").lines() {
        serde_json::from_str::<serde_json::Value>(line).expect(line);
    }
    let trace: serde_json::Value = serde_json::from_str(&of("perfetto")).expect("JSON");
    assert!(trace["traceEvents"].as_array().is_some_and(|events| events.len() > 20));
    let csv = of("metrics.csv");
    let columns = csv.lines().next().expect("a heading").split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns), "{csv}");
    for kind in ["all,all,", "row,", "task,", "machine,machine,", "llc,0,", "cpu,0,"] {
        assert!(csv.lines().any(|line| line.starts_with(kind)), "no {kind} in {csv}");
    }
    let json: serde_json::Value = serde_json::from_str(&of("metrics.json")).expect("JSON");
    let all = &json["tasks"][0];
    assert_eq!(all["kind"], "all");
    assert!(all["work_ns"].as_u64() == all["ran_ns"].as_u64(), "at the highest clock: {all}");
    assert_eq!(json["cpus"][0]["ran_ns"], all["ran_ns"]);
    assert!(complaint(&schedscope(&["export", file.path(), "--as", "pdf"]), 2).contains("pdf"));
}

#[test]
fn bench_tells_json() {
    let text = out(&schedscope(&["bench", "--json", "--events", "2000", "--seek", "2000"]));
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["events"], 2000);
    assert!(value["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0));
    assert_eq!(value["seek"]["steps"], 2000);
}
