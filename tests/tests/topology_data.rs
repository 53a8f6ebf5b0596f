//! Machines and scheduling domains against the data files: the vectors' `topologies.json` (every
//! machine, every CPU, every kernel) and the specification's (the presets, CPU 0, flags and
//! figures).

use std::fs::File;
use std::path::Path;

use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::domains::{DomainFlags, Domains};
use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::machines::Machine;
use schedscope_sim::topology::{NodeId, Topology};
use schedscope_sim::units::CpuId;
use schedscope_vectors::placement::{generation, machines};
use serde_json::Value;

fn load(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_json::from_reader(File::open(&path).expect("the file is here")).expect("it is JSON")
}

/// A set as the files write it: `"0-7,128-135"`.
fn span(text: &str) -> CpuSet {
    let number = |text: &str| text.parse::<u16>().expect("a CPU");
    text.split(',')
        .flat_map(|part| match part.split_once('-') {
            Some((first, last)) => number(first)..=number(last),
            None => number(part)..=number(part),
        })
        .map(CpuId)
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn uint(value: &Value) -> u64 {
    value.as_u64().expect("a count")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn check_distances(machine: &Topology, expect: &Value) {
    let nodes = list(expect).len();
    assert_eq!(machine.nodes().len(), nodes);
    for from in 0..nodes {
        for to in 0..nodes {
            let distance = machine.node_distance(NodeId(from as u16), NodeId(to as u16));
            assert_eq!(u64::from(distance), uint(&expect[from][to]));
        }
    }
}

#[test]
fn machines_of_the_vectors() {
    let file = load("vectors/placement/topologies.json");
    let names: Vec<&str> = list(&file["topologies"]).iter().map(|t| text(&t["name"])).collect();
    assert_eq!(names, machines::NAMES);
    for expect in list(&file["topologies"]) {
        let name = text(&expect["name"]);
        let machine = machines::by_name(name).expect("known");
        assert_eq!(machine.len() as u64, uint(&expect["ncpus"]), "{name}");
        assert_eq!(machine.smt(), expect["smt_present"] == true, "{name}");
        assert_eq!(machine.llcs().len() as u64, uint(&expect["nr_llc"]), "{name}");
        check_distances(&machine, &expect["node_distance"]);
        for row in list(&expect["cpus"]) {
            let id = CpuId(uint(&row["cpu"]) as u16);
            let cpu = machine.cpu(id);
            let siblings: Vec<u64> =
                machine.smt_siblings(id).iter().map(|cpu| u64::from(cpu.0)).collect();
            let expected: Vec<u64> = list(&row["smt_siblings"]).iter().map(uint).collect();
            assert_eq!(siblings, expected, "{name} {id}");
            let got = [cpu.core.0, cpu.llc.0, cpu.node.0, cpu.package.0].map(u64::from);
            let fields = ["core", "llc", "node", "package"].map(|field| uint(&row[field]));
            assert_eq!(got, fields, "{name} {id}");
            // The L2 of the Q6600 is its LLC; the file does not call it a cluster (R6.4.4).
            if name != "q6600" {
                let cluster = cpu.cluster.map(|cluster| u64::from(cluster.0));
                assert_eq!(cluster, row["cluster"].as_u64(), "{name} {id}");
            }
        }
    }
}

#[test]
fn domains_of_the_vectors() {
    let file = load("vectors/placement/topologies.json");
    let recorded = ["WAKE_AFFINE", "SHARE_LLC", "CLUSTER", "SHARE_CPUCAPACITY", "NUMA"];
    let mut checked = 0;
    for expect in list(&file["topologies"]) {
        let name = text(&expect["name"]);
        let machine = machines::by_name(name).expect("known");
        for (version, levels) in expect["sched_domains"].as_object().expect("by version") {
            let at = format!("{name} {version}");
            let kernel = generation(version).expect("known");
            let domains = Domains::build(&machine, kernel);
            assert_eq!(
                domains.clusters_active(),
                expect["cluster_scan_active"][version.as_str()] == true,
                "{at}"
            );
            for cpu in machine.cpu_ids() {
                let chain = domains.chain(cpu);
                assert_eq!(chain.len(), list(levels).len(), "{at} {cpu}");
                for (id, level) in chain.iter().zip(list(levels)) {
                    let domain = domains.domain(*id);
                    assert_eq!(domain.name.name(), text(&level["name"]), "{at} {cpu}");
                    let pct = u64::from(domain.imbalance_pct);
                    assert_eq!(pct, uint(&level["imbalance_pct"]), "{at} {cpu}");
                    let spans: Vec<CpuSet> =
                        list(&level["spans"]).iter().map(|s| span(text(s))).collect();
                    assert!(spans.contains(&domain.span), "{at} {cpu} {:?}", domain.span);
                    let mut flags: Vec<&str> = domain
                        .flags
                        .names()
                        .filter(|flag| recorded.contains(flag) || *flag == "LOAD_BALANCE")
                        .collect();
                    flags.sort_unstable();
                    let expected: Vec<&str> = list(&level["flags"]).iter().map(text).collect();
                    assert_eq!(flags, expected, "{at} {cpu} {}", domain.name.name());
                    checked += 1;
                }
            }
        }
    }
    assert_eq!(checked, 24_968);
}

/// The presets against `spec/data/topologies.json`, by the rules of 6.1 and later.
#[test]
fn presets_of_the_specification() {
    let file = load("data/topologies.json");
    let presets = [
        Machine::Zen3Nps1,
        Machine::Zen3Nps2,
        Machine::Zen3Nps4,
        Machine::Intel2x20,
        Machine::Q6600,
        Machine::Desktop16,
        Machine::Power10,
    ];
    assert_eq!(list(&file).len(), presets.len());
    for (expect, preset) in list(&file).iter().zip(presets) {
        let (name, machine) = (preset.id(), preset.topology());
        assert_eq!(machine.len() as u64, uint(&expect["ncpus"]), "{name}");
        assert_eq!(machine.llcs().len() as u64, uint(&expect["nr_llcs"]), "{name}");
        check_distances(&machine, &expect["distances"]);
        for (node, cpus) in expect["nodes"].as_object().expect("by node") {
            let node: usize = node.parse().expect("a node");
            assert_eq!(machine.nodes()[node], span(text(cpus)), "{name} node {node}");
        }
        for row in list(&expect["cpu"]) {
            let cpu = machine.cpu(CpuId(uint(&row["id"]) as u16));
            let got = [cpu.core.0, cpu.llc.0, cpu.node.0].map(u64::from);
            assert_eq!(got, ["core", "llc", "node"].map(|field| uint(&row[field])), "{name}");
        }
        for kernel in [PlaceGeneration::V6_6, PlaceGeneration::V6_12] {
            check_chain(name, &machine, kernel, expect);
        }
    }
}

fn check_chain(name: &str, machine: &Topology, kernel: PlaceGeneration, expect: &Value) {
    let domains = Domains::build(machine, kernel);
    let first = CpuId(0);
    assert_eq!(u64::from(domains.llc_size(first)), uint(&expect["sd_llc_size"]), "{name}");
    let chain = domains.chain(first);
    assert_eq!(chain.len(), list(&expect["domains_cpu0"]).len(), "{name}");
    for (id, level) in chain.iter().zip(list(&expect["domains_cpu0"])) {
        let domain = domains.domain(*id);
        let ours = domain.name.name();
        // "PKG/DIE", "NUMA(<=12)", "SMT (small core, …)": the file names several kernels at once.
        let theirs = level.get("name_from_5_16").unwrap_or(&level["name"]);
        assert!(text(theirs).contains(ours), "{name}: {ours} for {theirs}");
        if let Some(distance) = domain.distance {
            assert!(text(theirs).contains(&format!("{distance})")), "{name}: {theirs}");
        }
        assert_eq!(domain.span, span(text(&level["span_cpu0"])), "{name} {ours}");
        let groups = domains.groups(*id);
        for (got, field) in [
            (domain.weight, "span_weight"),
            (groups.len() as u32, "groups"),
            (groups[0].weight, "group_size"),
            (domain.imbalance_pct, "imbalance_pct"),
            (domain.cache_nice_tries, "cache_nice_tries"),
            (domain.min_interval, "min_interval_ms"),
            (domain.max_interval, "max_interval_ms"),
            (domain.busy_factor, "busy_factor"),
            (domain.imb_numa_nr, "imb_numa_nr"),
        ] {
            assert_eq!(u64::from(got), uint(&level[field]), "{name} {ours} {field}");
        }
        let mut flags: Vec<&str> = list(&level["flags"]).iter().map(text).collect();
        if let Some(extra) = level.get("extra_flags_from_5_16") {
            flags.extend(list(extra).iter().map(text));
        }
        let expected = DomainFlags::NAMES
            .iter()
            .filter(|(_, flag)| flags.contains(flag))
            .fold(DomainFlags::NONE, |set, (flag, _)| set.or(*flag));
        assert_eq!(expected.names().count(), flags.len(), "{name} {ours}: an unknown flag");
        assert_eq!(domain.flags, expected, "{name} {ours}");
    }
}

/// `domain_flags.json`: the figures that depend on level and kernel.
#[test]
fn figures_by_level() {
    let file = load("data/domain_flags.json");
    let pct = &file["imbalance_pct"];
    for machine in Machine::ALL.map(Machine::topology) {
        for kernel in [PlaceGeneration::V4_7, PlaceGeneration::V5_15, PlaceGeneration::V6_12] {
            let domains = Domains::build(&machine, kernel);
            let old = kernel == PlaceGeneration::V4_7;
            for domain in domains.domains() {
                let name = domain.name.name();
                let shares = domain.flags.has(DomainFlags::SHARE_LLC);
                let expect = match name {
                    "SMT" | "CLS" => &pct[name],
                    _ if shares => &pct["LLC"],
                    _ if old => &pct["default_le_4_20"],
                    _ => &pct["default_ge_5_10"],
                };
                assert_eq!(u64::from(domain.imbalance_pct), uint(expect), "{name} {kernel:?}");
                let factor = if old { "4_7_to_5_4" } else { "ge_5_10" };
                assert_eq!(u64::from(domain.busy_factor), uint(&file["busy_factor"][factor]));
                let level = match name {
                    "MC" | "CACHE" => "LLC",
                    "DIE" => "PKG",
                    other => other,
                };
                let tries = &file["cache_nice_tries"][level];
                assert_eq!(u64::from(domain.cache_nice_tries), uint(tries), "{name}");
            }
        }
    }
}
