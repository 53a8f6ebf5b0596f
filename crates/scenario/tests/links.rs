//! Golden links: documents packed by the first version. They must open for ever.
//!
//! A change that breaks one of these is wrong, whatever its reason. New kinds of items get links of
//! their own at the end.

use schedscope_scenario::Document;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).expect("a digit") as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The bytes open as this text, and this text is still packed like that.
#[track_caller]
fn check(text: &str, golden: &str) {
    let document = Document::from_toml(text).expect("a document");
    assert_eq!(Document::unpack(&bytes(golden)), Ok(document.clone()));
    assert_eq!(hex(&document.pack()), golden);
}

#[test]
fn tasks_and_inputs() {
    check(
        r#"
schedscope = 1
title = "Everything"
about = "Two lines\nof prose"
machine = "zen3-nps4"
kernel = { preset = "6.12", base_slice = "30ms", hz = 250, group_sched = false, features = { RUN_TO_PARITY = false }, costs = { context_switch = "1us", wake_ipi = "2us", wakeup = "3us", migrate_llc = "4us" } }
seed = 7
end = "200 ms"
[[task]]
name = "editor"
nice = -5
latency_nice = 3
slice = "0.5ms"
affinity = "0-15,128-143"
cpu = 3
at = "2ms"
program = ["loop", "  run 1ms", "  sleep 2ms..4ms", "  wake pipe 3 sync", "yield", "end", "exit"]
[[task]]
name = "worker"
letter = "H"
count = 4
cpu = "4-7"
every = "10us"
muted = true
program = ["loop", "wait pipe", "run ~1ms", "loop 3", "run 1us", "timer 1ms", "fork child#", "end", "end"]
[[task]]
name = "child"
count = 4
start = "fork"
program = "run 20us"
[[task]]
name = "kworker/7"
affinity = "7"
kthread = true
program = "run 20us"
[[input]]
after = 37
nice = { task = "editor", to = -10 }
[[input]]
after = 38
latency_nice = { task = "editor", to = -10 }
[[input]]
after = 40
affinity = { task = "worker#2", to = "5" }
[[input]]
after = 41
slice = { task = 12, to = "default" }
[[input]]
after = 41
spawn = { task = "child", cpu = 9 }
[[input]]
after = 42
move = { task = "editor", to = 200 }
[[input]]
after = 50
kill = { task = "worker" }
"#,
        "0011000a45766572797468696e67011254776f206c696e65730a6f662070726f736502097a656e33\
         2d6e70733405060004362e3132018087a70e02fa010300040d52554e5f544f5f5041524954590006\
         e807d00fb817a01f0607078084af5f08080006656469746f7203fb040305a0c21e060c302d31352c\
         3132382d3134330780897a0901330d436c6f6f700a202072756e20316d730a2020736c6565702032\
         6d732e2e346d730a202077616b65207069706520332073796e630a20207969656c640a656e640a65\
         78697408070006776f726b6572010148020408904e0903342d370c010d586c6f6f700a2020776169\
         7420706970650a202072756e207e316d730a20206c6f6f7020330a2020202072756e203175730a20\
         20202074696d657220316d730a20202020666f726b206368696c64230a2020656e640a656e640804\
         00056368696c6402040a0d0872756e2032307573080400096b776f726b65722f370601370b0d0872\
         756e20323075730925000006656469746f72f60926010006656469746f72f60928030106776f726b\
         657202010135092902020c00092905056368696c640109092a040006656469746f72c80109320600\
         06776f726b6572",
    );
}

#[test]
fn a_regular_machine() {
    check(
        r#"
schedscope = 1
kernel = { preset = "6.6", costs = "typical" }
[machine]
name = "two sockets"
sockets = 2
nodes = 2
llcs = 3
cores = 4
threads = 2
cluster = 2
numbering = "siblings adjacent"
node_distance = 15
socket_distance = 32
reclaim_distance = 32
"#,
        "0002030b01020202030304040502000b74776f20736f636b657473060207080f09200a2005020003\
         362e3605",
    );
}

#[test]
fn a_machine_cpu_by_cpu() {
    check(
        r#"
schedscope = 1
kernel = "6.6+latency-nice"
[machine]
name = "odd"
cpus = 8
packages = ["0-3", "4-7"]
nodes = ["0-3", "4-7"]
coregroups = ["0-3", "4-7"]
llcs = ["0-1", "2-3", "4-5", "6-7"]
clusters = ["0-1", "2-3", "4-5", "6-7"]
cores = ["0-1", "2-3"]
distances = [[10, 25], [25, 10]]
reclaim_distance = 20
"#,
        "0002040a010800036f6464020203302d3303342d37030203302d3303342d37040203302d3303342d\
         37050403302d3103322d3303342d3503362d37060403302d3103322d3303342d3503362d37070203\
         302d3103322d330802020a1902190a091405010010362e362b6c6174656e63792d6e696365",
    );
}

#[test]
fn other_tunables() {
    check(
        r#"
schedscope = 1
[kernel]
preset = "6.1"
placement = "6.12"
latency = "20ms"
min_granularity = "2ms"
wakeup_granularity = "3ms"
child_runs_first = true
compat_yield = false
governor = "schedutil"
clock = "800MHz..3.5GHz"
[[interrupt]]
at = "1ms"
every = "1ms..2ms"
cpus = "4-7"
wakes = "disk"
count = 2
"#,
        "000302096465736b746f70313605090003362e310704362e31320880dac4090980897a0ac08db701\
         0b010c000d0973636865647574696c0e80ea30e0cfd5010ac0843d08316d732e2e326d7303342d37\
         046469736b02",
    );
}

#[test]
fn turbo() {
    check(
        r#"
schedscope = 1
kernel = { smt = 60, turbo = { 2 = "3.3GHz", 12 = "2.9GHz" } }
"#,
        "000202096465736b746f70313605030004362e31320f3c100202a0b5c9010ca080b101",
    );
}

#[test]
fn colours() {
    check(
        r#"
schedscope = 1
[[task]]
name = "A"
colour = 24
"#,
        "000302096465736b746f70313605010004362e313208020001410e18",
    );
}

#[test]
fn groups() {
    check(
        r#"
schedscope = 1
kernel = "6.1+latency-nice"
[[group]]
name = "batch"
shares = 512
latency_nice = 10
[[group]]
name = "web"
[[task]]
name = "build"
group = "batch"
program = "run 1ms"
[[input]]
after = 3
group = { task = "build", to = "web" }
[[input]]
after = 4
group = { task = "build", to = "root" }
[[input]]
after = 5
shares = { group = "web", to = 2048 }
[[input]]
after = 6
group_latency_nice = { group = "web", to = -20 }
"#,
        "000902096465736b746f70313605010010362e312b6c6174656e63792d6e6963650b030005626174\
         6368018004020a0b010003776562080300056275696c640d0772756e20316d730f05626174636809\
         030700056275696c64010377656209040700056275696c6400090508037765628010090609037765\
         62ec",
    );
}
