//! Machines from files: hwloc XML, tables of lscpu.

use schedscope_sim::topology::{Level, TopologyProblem};
use schedscope_sim::units::CPUS_MAX;

/// Why rows make no machine, for people.
#[must_use]
pub fn sentence_of(problem: &TopologyProblem) -> String {
    use TopologyProblem as P;
    let within = |inner: &str, cpu: u32, other: u32, what: Level| {
        let outer = match what {
            Level::Core => "core",
            Level::Cluster => "cluster",
            Level::Llc => "last-level cache",
            Level::Coregroup => "coregroup",
            Level::Node => "NUMA node",
            Level::Package => "package",
        };
        format!("CPUs {cpu} and {other} are in the same {inner} but not in the same {outer}.")
    };
    match *problem {
        P::NoCpus => "it has no CPU.".to_string(),
        P::TooManyCpus { cpus } => format!("it has {cpus} CPUs; the most is {CPUS_MAX}."),
        P::DuplicateCpu { cpu } => format!("CPU {cpu} is there twice."),
        P::MissingCpu { cpu } => {
            format!("CPU {cpu} is missing; the CPUs are numbered from 0 without a gap.")
        }
        P::CoreNotWithin { cpu, other, what } => within("core", cpu, other, what),
        P::ClusterNotWithin { cpu, other, what } => within("cluster", cpu, other, what),
        P::LlcNotWithin { cpu, other, what } => within("last-level cache", cpu, other, what),
        P::CoregroupNotWithin { cpu, other, what } => within("coregroup", cpu, other, what),
        P::DistanceShape { nodes, found } => format!(
            "there are {nodes} NUMA nodes, so the table of distances needs {nodes} rows of \
             {nodes}, not {found}."
        ),
        P::DistanceNotLocal { node, distance } => {
            format!("the distance of node {node} to itself is {distance}; it must be 10.")
        }
        P::DistanceOutOfRange { from, to, distance } => {
            format!("the distance from node {from} to {to} is {distance}; it must be 11 to 255.")
        }
        P::DistanceAsymmetric { from, to } => {
            format!("the distances between nodes {from} and {to} differ by direction.")
        }
    }
}
