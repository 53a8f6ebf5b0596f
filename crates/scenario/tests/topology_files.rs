//! Machines from the files of hwloc and lscpu, as they are and broken.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use schedscope_scenario::document::{Document, MachineChoice};
use schedscope_scenario::{cpu_list, topology_file};
use schedscope_sim::machines::Machine;
use schedscope_sim::topology::{NodeId, Topology};
use schedscope_sim::units::CpuId;

macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("../../../tests/data/topologies/", $name))
    };
}

fn describe(topology: &Topology) -> String {
    let mut text = format!("{}: {} CPUs\n", topology.name(), topology.len());
    for (what, spans) in [
        ("package", topology.packages()),
        ("node", topology.nodes()),
        ("LLC", topology.llcs()),
        ("cluster", topology.clusters()),
        ("core", topology.cores()),
    ] {
        let lists: Vec<String> = spans.iter().map(cpu_list::format).collect();
        let more = lists.len().saturating_sub(8);
        text += &format!("  {what}: {}", lists[..lists.len() - more].join("  "));
        text += &if more > 0 { format!("  and {more} more\n") } else { "\n".to_string() };
    }
    let nodes = topology.nodes().len() as u16;
    if nodes > 1 {
        let row: Vec<String> = (0..nodes)
            .map(|to| topology.node_distance(NodeId(0), NodeId(to)).to_string())
            .collect();
        text += &format!("  distances of node 0: {}\n", row.join(" "));
    }
    text
}

#[track_caller]
fn check(text: &str, expect: Expect) {
    let described = match topology_file::read(text) {
        Ok(found) => {
            let document = Document {
                machine: MachineChoice::Cpus(found.table.clone()),
                ..Document::default()
            };
            assert_eq!(Document::from_toml(&document.to_toml()).as_ref(), Ok(&document));
            assert_eq!(document.topology().as_ref(), Ok(&found.topology));
            let mut text = format!("{:?} {}", found.kind, describe(&found.topology));
            for note in found.notes {
                text += &format!("  note: {note}\n");
            }
            text
        }
        Err(problems) => problems.iter().map(|problem| format!("{problem}\n")).collect(),
    };
    expect.assert_eq(&described);
}

#[test]
fn tables() {
    check(
        sample!("laptop-i5-8250u.lscpu-e.txt"),
        expect![[r#"
            LscpuTable machine from lscpu: 8 CPUs
              package: 0-7
              node: 0-7
              LLC: 0-7
              cluster: 
              core: 0,4  1,5  2,6  3,7
        "#]],
    );
    check(
        sample!("laptop-i5-12500h.lscpu-e.txt"),
        expect![[r#"
        LscpuTable 12th Gen Intel Core i5-12500H: 20 CPUs
          package: 0-19
          node: 0-19
          LLC: 0-19
          cluster: 0-1  2-3  4-5  6-7  8-9  10-11  12-15  16-19
          core: 0-1  2-3  4-5  6-7  8-9  10-11  12  13  and 6 more
    "#]],
    );
    check(
        sample!("vm-no-l3.lscpu-e.txt"),
        expect![[r#"
            LscpuTable machine from lscpu: 4 CPUs
              package: 0  1  2  3
              node: 0-3
              LLC: 0  1  2  3
              cluster: 
              core: 0  1  2  3
        "#]],
    );
    check(
        sample!("vm-no-cache.lscpu-e.txt"),
        expect![[r#"
            LscpuTable machine from lscpu: 2 CPUs
              package: 0-1
              node: 0-1
              LLC: 0  1
              cluster: 
              core: 0  1
              note: The file names no cache above the first level, so no two cores share one.
        "#]],
    );
    check(
        sample!("offline.lscpu-e.txt"),
        expect![[r#"
            LscpuTable machine from lscpu: 6 CPUs
              package: 0-5
              node: 0-5
              LLC: 0-5
              cluster: 
              core: 0,3  1,4  2,5
              note: CPUs 3,7 are offline and left out.
              note: CPU 3 is not there; the CPUs after are numbered without the gap, CPU 4 as 3.
        "#]],
    );
    check(
        sample!("xeon-6230-2s.lscpu-p.csv"),
        expect![[r#"
            LscpuParsable machine from lscpu: 80 CPUs
              package: 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62,64,66,68,70,72,74,76,78  1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63,65,67,69,71,73,75,77,79
              node: 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62,64,66,68,70,72,74,76,78  1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63,65,67,69,71,73,75,77,79
              LLC: 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62,64,66,68,70,72,74,76,78  1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63,65,67,69,71,73,75,77,79
              cluster: 
              core: 0,40  1,41  2,42  3,43  4,44  5,45  6,46  7,47  and 32 more
              distances of node 0: 10 21
              note: lscpu does not say how far the nodes are from one another; taken are 10 within a node, 12 within a package and 21 between packages. A file of lstopo says it.
        "#]],
    );
    check(
        sample!("desktop-offline.lscpu-e.json"),
        expect![[r#"
            LscpuJson machine from lscpu: 14 CPUs
              package: 0-13
              node: 0-13
              LLC: 0-13
              cluster: 
              core: 0,7  1,8  2,9  3,10  4,11  5,12  6,13
              note: CPUs 5,13 are offline and left out.
              note: CPU 5 is not there; the CPUs after are numbered without the gap, CPU 6 as 5.
        "#]],
    );
    check(
        sample!("zen3-nps4.lscpu-e.json"),
        expect![[r#"
            LscpuJson machine from lscpu: 256 CPUs
              package: 0-63,128-191  64-127,192-255
              node: 0-15,128-143  16-31,144-159  32-47,160-175  48-63,176-191  64-79,192-207  80-95,208-223  96-111,224-239  112-127,240-255
              LLC: 0-7,128-135  8-15,136-143  16-23,144-151  24-31,152-159  32-39,160-167  40-47,168-175  48-55,176-183  56-63,184-191  and 8 more
              cluster: 
              core: 0,128  1,129  2,130  3,131  4,132  5,133  6,134  7,135  and 120 more
              distances of node 0: 10 12 12 12 21 21 21 21
              note: lscpu does not say how far the nodes are from one another; taken are 10 within a node, 12 within a package and 21 between packages. A file of lstopo says it.
        "#]],
    );
}

#[test]
fn the_named_machine_and_its_file_agree() {
    let found = topology_file::read(sample!("zen3-nps4.lscpu-e.json")).expect("a machine");
    let named = Machine::Zen3Nps4.topology();
    assert_eq!(found.topology.cpus(), named.cpus());
    assert_eq!(found.topology.cores(), named.cores());
    for cpu in named.cpu_ids() {
        assert_eq!(found.topology.cpu(cpu), named.cpu(CpuId(cpu.0)));
    }
}

#[test]
fn summaries() {
    check(
        sample!("zen3-nps1.lscpu.txt"),
        expect![[r#"
            LscpuSummary 2 × AMD EPYC 7713 64-Core Processor: 256 CPUs
              package: 0-63,128-191  64-127,192-255
              node: 0-63,128-191  64-127,192-255
              LLC: 0-7,128-135  8-15,136-143  16-23,144-151  24-31,152-159  32-39,160-167  40-47,168-175  48-55,176-183  56-63,184-191  and 8 more
              cluster: 
              core: 0,128  1,129  2,130  3,131  4,132  5,133  6,134  7,135  and 120 more
              distances of node 0: 10 32
              note: A summary does not say which CPU is where, so this is the usual order; a table made by "lscpu -e" says it.
              note: The threads of a core are taken to be CPU n and n + 128.
              note: lscpu does not say how far the nodes are from one another; taken are 10 within a node, 12 within a package and 32 between packages. A file of lstopo says it.
        "#]],
    );
    check(
        sample!("vm-2cpu.lscpu.json"),
        expect![[r#"
        LscpuSummary AMD EPYC: 2 CPUs
          package: 0-1
          node: 0-1
          LLC: 0-1
          cluster: 
          core: 0  1
          note: A summary does not say which CPU is where, so this is the usual order; a table made by "lscpu -e" says it.
    "#]],
    );
}

#[test]
fn hwloc() {
    check(
        sample!("epyc-7313-2s.hwloc2.xml"),
        expect![[r#"
        HwlocXml 2 × AMD EPYC 7313 16-Core Processor: 64 CPUs
          package: 0-15,32-47  16-31,48-63
          node: 0-15,32-47  16-31,48-63
          LLC: 0-3,32-35  4-7,36-39  8-11,40-43  12-15,44-47  16-19,48-51  20-23,52-55  24-27,56-59  28-31,60-63
          cluster: 
          core: 0,32  1,33  2,34  3,35  4,36  5,37  6,38  7,39  and 24 more
          distances of node 0: 10 32
    "#]],
    );
    check(
        sample!("power10-1core-pair.hwloc2.xml"),
        expect![[r#"
            HwlocXml machine from hwloc: 16 CPUs
              package: 0-15
              node: 0-15
              LLC: 0-3  4-7  8-11  12-15
              cluster: 
              core: 0-3  4-7  8-11  12-15
              note: The threads of a core have several last-level caches, so the core counts as several, as the kernel's scheduler sees it on POWER.
        "#]],
    );
    check(
        sample!("xeon-x5650-2s.hwloc1.xml"),
        expect![[r#"
        HwlocXml 2 × Intel Xeon CPU X5650 @ 2.67GHz: 24 CPUs
          package: 0,2,4,6,8,10,12,14,16,18,20,22  1,3,5,7,9,11,13,15,17,19,21,23
          node: 0,2,4,6,8,10,12,14,16,18,20,22  1,3,5,7,9,11,13,15,17,19,21,23
          LLC: 0,2,4,6,8,10,12,14,16,18,20,22  1,3,5,7,9,11,13,15,17,19,21,23
          cluster: 
          core: 0,12  1,13  2,14  3,15  4,16  5,17  6,18  7,19  and 4 more
          distances of node 0: 10 21
    "#]],
    );
}

#[test]
fn broken() {
    check(
        sample!("broken-laptop.lscpu-e.txt"),
        expect![[r#"
        line 4: file: this row has 2 cells for 9 columns.
        line 6: file: "x:0:0:0" is no list of caches such as 0:0:0:0.
        line 8: file: "maybe" is neither yes nor no; the column ONLINE holds one of them.
    "#]],
    );
    check(
        sample!("broken-no-core.lscpu-e.txt"),
        expect![[r#"
        file: the column CORE is missing; make it by "lscpu -e=CPU,CORE,SOCKET,NODE,CACHE,ONLINE".
    "#]],
    );
    check(
        sample!("broken-xeon.lscpu-p.csv"),
        expect![[r#"
            line 8: file: this row has 5 cells for 9 columns.
            line 10: file: "twentytwo" is no number; the column CORE holds one.
            line 48: file: this row has 5 cells for 9 columns.
            line 50: file: "twentytwo" is no number; the column CORE holds one.
        "#]],
    );
    check(
        sample!("broken-zen3.lscpu-e.json"),
        expect![[r#"
            file, entry 4: "three" is no number; the column CORE holds one.
            file, entry 5: "perhaps" is neither yes nor no; the column ONLINE holds one of them.
            file, entry 6: this row does not say which CPU it is about.
            file, entry 7: "6:6:6" does not fit the column L1D:L1I:L2:L3: it needs 4 numbers.
        "#]],
    );
    check(
        sample!("broken-summary.lscpu.txt"),
        expect![[r#"
            file: sockets × cores × threads is 1 × 4 × 2, but there are 6 CPUs, so some are offline or of another kind; make a table by "lscpu -e", which tells them apart.
        "#]],
    );
    check(
        sample!("broken-epyc.hwloc2.xml"),
        expect![[r#"
        line 29: file: this PU has no os_index, the number of its CPU.
        line 299: file: the table of distances has 2 nodes but 3 values; it needs 2 times 2.
    "#]],
    );
    check(
        sample!("cut-epyc.hwloc2.xml"),
        expect![[r#"
            line 71: file: this is not XML: unexpected end of stream.
        "#]],
    );
    check(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        expect![[r#"
        line 1: file: it is XML, but not hwloc's: it begins with <svg>, not with <topology>; make it by "lstopo --of xml".
    "#]],
    );
    check(
        "{\"cpus\": 3}",
        expect![[r#"
        file: it is JSON, but not lscpu's: it has no list of "cpus"; make it by "lscpu -e -J".
    "#]],
    );
    check(
        "{\"cpus\": [",
        expect![[r#"
        line 1: file: this is not JSON: EOF while parsing a list.
    "#]],
    );
    check(
        "{}",
        expect![[r#"
        file: it is JSON, but not lscpu's: it has no list of "cpus"; make it by "lscpu -e -J".
    "#]],
    );
    check(
        "hello",
        expect![[r#"
        file: it describes no machine; make one by "lstopo --of xml" or "lscpu -e".
    "#]],
    );
    check(
        "",
        expect![[r#"
        file: it describes no machine; make one by "lstopo --of xml" or "lscpu -e".
    "#]],
    );
    check(
        "CPU CORE",
        expect![[r#"
        file: it lists no CPU.
    "#]],
    );
    check(
        "<topology/>",
        expect![[r#"
        file: it has no PU, hwloc's word for a CPU; make it by "lstopo --of xml" without a filter.
    "#]],
    );
}

const FILES: [&str; 8] = [
    sample!("laptop-i5-8250u.lscpu-e.txt"),
    sample!("laptop-i5-12500h.lscpu-e.txt"),
    sample!("offline.lscpu-e.txt"),
    sample!("xeon-6230-2s.lscpu-p.csv"),
    sample!("desktop-offline.lscpu-e.json"),
    sample!("zen3-nps1.lscpu.txt"),
    sample!("xeon-x5650-2s.hwloc1.xml"),
    sample!("epyc-7313-2s.hwloc2.xml"),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nearly_right_files_never_panic(
        file in prop::sample::select(FILES.to_vec()),
        edits in prop::collection::vec(
            (
                any::<prop::sample::Index>(),
                0..9_usize,
                prop::sample::select(vec![
                    "", "0", "99999999999", "-", "\"", "<", ">", "\n", ":", ",", "é", "{", "]",
                ]),
            ),
            1..6,
        ),
    ) {
        let mut chars: Vec<char> = file.chars().collect();
        for (at, cut, piece) in edits {
            let at = at.index(chars.len());
            let end = (at + cut).min(chars.len());
            chars.splice(at..end, piece.chars());
        }
        let text: String = chars.into_iter().collect();
        match topology_file::read(&text) {
            Ok(found) => {
                let table = MachineChoice::Cpus(found.table);
                prop_assert_eq!(table.topology(), Ok(found.topology));
            }
            Err(problems) => {
                prop_assert!(!problems.is_empty());
                for problem in problems {
                    prop_assert!(problem.sentence.ends_with('.'), "{}", problem);
                }
            }
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        let _ = topology_file::read(&text);
    }
}
