//! `schedscope topology`: a machine as a tree, and the sched domains that a kernel makes of it.

use std::io::{self, Write};
use std::path::Path;

use schedscope_analysis::words;
use schedscope_session::machine;
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::machines::Machine;
use schedscope_sim::topology::{NodeId, Topology};
use schedscope_sim::units::CpuId;

use crate::{load, told};

/// Prints a preset, or the machine of a file.
pub(crate) fn show(machine: &str) -> Result<(), String> {
    let (topology, generation) = match Machine::from_id(machine) {
        Some(preset) => (preset.topology(), PlaceGeneration::V6_12),
        None => read(Path::new(machine))?,
    };
    let _ = print(&topology, generation);
    Ok(())
}

fn read(file: &Path) -> Result<(Topology, PlaceGeneration), String> {
    if !file.exists() {
        let ids: Vec<String> = Machine::ALL.iter().map(|m| m.id().to_owned()).collect();
        return Err(format!(
            "{}: there is no such file and no such preset; the presets are {}",
            file.display(),
            words::list(&ids, usize::MAX)
        ));
    }
    let (session, _) = load(file)?;
    let setup = session.setup().ok_or_else(|| told(file, &[]))?;
    Ok((setup.topology.clone(), setup.kernel.place))
}

fn print(topology: &Topology, generation: PlaceGeneration) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let domains = Domains::build(topology, generation);
    writeln!(
        out,
        "{}: {}, {}, {}, {}, {}",
        topology.name(),
        words::plural(topology.len() as u64, "CPU", "CPUs"),
        words::plural(topology.cores().len() as u64, "core", "cores"),
        words::plural(topology.llcs().len() as u64, "LLC", "LLCs"),
        words::plural(topology.nodes().len() as u64, "node", "nodes"),
        words::plural(topology.packages().len() as u64, "package", "packages")
    )?;
    let within = |outer: &CpuSet, inner: &[CpuSet]| -> Vec<(usize, CpuSet)> {
        inner.iter().copied().enumerate().filter(|(_, set)| set.intersects(outer)).collect()
    };
    for (i, package) in topology.packages().iter().enumerate() {
        writeln!(out, "package {i}: {}", words::cpu_list(package))?;
        for (node, span) in within(package, topology.nodes()) {
            writeln!(out, "  node {node}: {}", words::cpu_list(&span))?;
            for (llc, span) in within(&span, topology.llcs()) {
                writeln!(out, "    LLC {llc}: {}", words::cpu_list(&span))?;
                for (cluster, span) in within(&span, topology.clusters()) {
                    writeln!(out, "      cluster {cluster}: {}", words::cpu_list(&span))?;
                }
                let cores = within(&span, topology.cores());
                if cores.iter().any(|(_, core)| core.len() > 1) {
                    let list: Vec<String> =
                        cores.iter().map(|(_, core)| words::cpu_list(core)).collect();
                    writeln!(out, "      cores: {}", list.join("  "))?;
                }
            }
        }
    }
    let nodes = topology.nodes().len() as u16;
    if nodes > 1 {
        writeln!(out, "node distances:")?;
        for from in (0..nodes).map(NodeId) {
            let row: Vec<String> = (0..nodes)
                .map(|to| format!("{:>3}", topology.node_distance(from, NodeId(to))))
                .collect();
            writeln!(out, "  {}", row.join(" "))?;
        }
    }
    writeln!(out, "sched domains of CPU 0 ({generation:?}):")?;
    for view in machine::domain_views(&domains, CpuId(0)) {
        writeln!(out, "  {:<5} {}  {}", view.name, view.span, view.flags.join(" "))?;
    }
    if domains.chain(CpuId(0)).is_empty() {
        writeln!(out, "  none")?;
    }
    Ok(())
}
