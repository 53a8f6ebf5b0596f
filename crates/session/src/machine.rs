//! The machine as the interface lists and draws it.

use schedscope_analysis::words;
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::domains::Domains;
use schedscope_sim::machines::Machine as Preset;
use schedscope_sim::topology::Topology;
use schedscope_sim::units::CpuId;

use crate::update::{Cpu, CpuPlace, DomainView, Machine};

/// What people call a preset.
#[must_use]
pub fn preset_name(preset: Preset) -> &'static str {
    match preset {
        Preset::Cpu1 => "1 CPU",
        Preset::Cpu2 => "2 CPUs, one cache",
        Preset::Cpu4 => "4 CPUs, one cache",
        Preset::Q6600 => "Core 2 Quad Q6600, 4 CPUs",
        Preset::Desktop16 => "Desktop, 8 cores, 16 CPUs",
        Preset::Intel2x20 => "2 × Intel 20 cores, 80 CPUs",
        Preset::Zen3Nps1 => "2 × Zen 3 64 cores, NPS1, 256 CPUs",
        Preset::Zen3Nps2 => "2 × Zen 3 64 cores, NPS2, 256 CPUs",
        Preset::Zen3Nps4 => "2 × Zen 3 64 cores, NPS4, 256 CPUs",
        Preset::Power10 => "Power10, 80 cores SMT8, 640 CPUs",
        Preset::Kunpeng920 => "Kunpeng 920, 48 cores in clusters of 4",
    }
}

/// The machine as it is drawn and listed; `domains` are those of the run's kernel.
#[must_use]
pub fn view(topology: &Topology, domains: &Domains, preset: Option<Preset>) -> Machine {
    let thread = |cpu: CpuId| {
        topology.smt_siblings(cpu).iter().position(|sibling| sibling == cpu).unwrap_or(0) as u16
    };
    let cpus = topology
        .cpu_ids()
        .map(|cpu| {
            let place = topology.cpu(cpu);
            CpuPlace {
                core: place.core.0,
                thread: thread(cpu),
                cluster: place.cluster.map(|cluster| cluster.0),
                llc: place.llc.0,
                node: place.node.0,
                package: place.package.0,
            }
        })
        .collect();
    let list = |set: &CpuSet| -> Vec<Cpu> { set.iter().map(|cpu| cpu.0).collect() };
    Machine {
        id: preset.map_or_else(String::new, |preset| preset.id().to_owned()),
        name: preset
            .map_or_else(|| topology.name().to_owned(), |preset| preset_name(preset).into()),
        cpus,
        llcs: topology.llcs().iter().map(list).collect(),
        llc_names: (0..topology.llcs().len()).map(|llc| format!("LLC {llc}")).collect(),
        threads_per_core: topology.cores().iter().map(CpuSet::len).max().unwrap_or(1) as u16,
        nodes: topology.nodes().len() as u16,
        packages: topology.packages().len() as u16,
        domains: domain_views(domains, CpuId(0)),
    }
}

/// The sched domains of a CPU from the smallest up.
#[must_use]
pub fn domain_views(domains: &Domains, cpu: CpuId) -> Vec<DomainView> {
    domains
        .chain(cpu)
        .iter()
        .map(|&id| {
            let domain = domains.domain(id);
            DomainView {
                name: domain.name.name().to_owned(),
                span: words::cpu_list(&domain.span),
                flags: domain.flags.names().map(str::to_owned).collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedscope_sim::kernel::PlaceGeneration;

    #[test]
    fn zen3_nps4_has_its_places() {
        let topology = Preset::Zen3Nps4.topology();
        let domains = Domains::build(&topology, PlaceGeneration::V6_12);
        let machine = view(&topology, &domains, Some(Preset::Zen3Nps4));
        assert_eq!((machine.nodes, machine.packages, machine.threads_per_core), (8, 2, 2));
        assert_eq!(machine.llcs.len(), 16);
        assert_eq!(machine.cpus[129].thread, 1);
        assert_eq!(machine.cpus[129].core, machine.cpus[1].core);
        let names: Vec<&str> = machine.domains.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["SMT", "MC", "NODE", "NUMA", "NUMA"]);
        assert_eq!(machine.domains[1].span, "0-7,128-135");
    }
}
