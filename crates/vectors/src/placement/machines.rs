//! The machines of the placement vectors (`vectors/placement/topologies.json`), by name.

use schedscope_sim::machines::Machine;
use schedscope_sim::topology::{CpuRow, Distances, Numbering, Shape, Topology};

/// The names in `topologies.json`, in its order.
pub const NAMES: [&str; 11] = [
    "q6600",
    "desktop16",
    "intel-2s10c",
    "zen3-2s-nps1",
    "zen3-2s-nps2",
    "zen3-2s-nps4",
    "power10-10c",
    "kunpeng920-48",
    "vm4-nollc",
    "synth-uneven-llc",
    "synth-cls-smt2",
];

/// The machine of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<Topology> {
    let machine = match name {
        "q6600" => Machine::Q6600.topology(),
        "desktop16" => Machine::Desktop16.topology(),
        "intel-2s10c" => regular(
            name,
            Shape { sockets: 2, cores_per_llc: 10, threads_per_core: 2, ..Shape::default() },
        ),
        "zen3-2s-nps1" => Machine::Zen3Nps1.topology(),
        "zen3-2s-nps2" => Machine::Zen3Nps2.topology(),
        "zen3-2s-nps4" => Machine::Zen3Nps4.topology(),
        // Small cores of the even and the odd threads; the LLC is the pair (R6.6.8).
        "power10-10c" => rows(name, 80, |cpu| CpuRow {
            core: 2 * (cpu / 8) + cpu % 2,
            llc: Some(cpu / 8),
            ..one(cpu)
        }),
        "kunpeng920-48" => Machine::Kunpeng920.topology(),
        "vm4-nollc" => rows(name, 4, |cpu| CpuRow { package: cpu, ..one(cpu) }),
        "synth-uneven-llc" => rows(name, 24, |cpu| CpuRow {
            core: cpu % 12,
            llc: Some(u32::from(cpu % 12 >= 8)),
            ..one(cpu)
        }),
        "synth-cls-smt2" => regular(
            name,
            Shape {
                cores_per_llc: 16,
                cores_per_cluster: Some(4),
                threads_per_core: 2,
                numbering: Numbering::SiblingsAdjacent,
                ..Shape::default()
            },
        ),
        _ => return None,
    };
    Some(machine)
}

fn one(cpu: u32) -> CpuRow {
    CpuRow { cpu, core: cpu, cluster: None, llc: None, coregroup: None, node: 0, package: 0 }
}

fn rows(name: &str, cpus: u32, row: impl Fn(u32) -> CpuRow) -> Topology {
    let distances = Distances::Regular { package: 12, remote: 21 };
    Topology::from_rows(name, (0..cpus).map(row).collect(), distances).expect("a table of ours")
}

fn regular(name: &str, shape: Shape) -> Topology {
    shape.topology(name).expect("a table of ours")
}
