//! Machines with names: the ids go into links and scenario files and are never renamed.

use crate::topology::{CpuRow, Distances, Shape, Topology};

/// A machine that can be chosen by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Machine {
    /// One CPU.
    Cpu1,
    /// Two cores without SMT under one cache.
    Cpu2,
    /// Four cores without SMT under one cache.
    Cpu4,
    /// Intel Core 2 Quad Q6600: two pairs of cores, each with its own L2; no L3 (spec 6.4).
    Q6600,
    /// A desktop: 8 cores, 16 threads, one cache (spec 6.5).
    Desktop16,
    /// Two Intel sockets of 20 cores, 40 threads each (spec 6.3).
    Intel2x20,
    /// Two AMD Zen 3 sockets of 64 cores, 256 CPUs in all, a node per socket (spec 6.2).
    Zen3Nps1,
    /// The same, two nodes per socket.
    Zen3Nps2,
    /// The same, four nodes per socket.
    Zen3Nps4,
    /// Power10: 80 cores of 8 threads, which the scheduler sees as 160 of 4 (spec 6.6; node and
    /// hemisphere counts are illustrative).
    Power10,
    /// Kunpeng 920: 48 cores in clusters of 4, two nodes in a package.
    Kunpeng920,
}

impl Machine {
    /// All machines, smallest kinds first.
    pub const ALL: [Machine; 11] = [
        Machine::Cpu1,
        Machine::Cpu2,
        Machine::Cpu4,
        Machine::Q6600,
        Machine::Desktop16,
        Machine::Intel2x20,
        Machine::Zen3Nps1,
        Machine::Zen3Nps2,
        Machine::Zen3Nps4,
        Machine::Power10,
        Machine::Kunpeng920,
    ];

    /// The id used in links and scenario files.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Machine::Cpu1 => "cpu1",
            Machine::Cpu2 => "cpu2",
            Machine::Cpu4 => "cpu4",
            Machine::Q6600 => "q6600",
            Machine::Desktop16 => "desktop16",
            Machine::Intel2x20 => "intel-2x20",
            Machine::Zen3Nps1 => "zen3-nps1",
            Machine::Zen3Nps2 => "zen3-nps2",
            Machine::Zen3Nps4 => "zen3-nps4",
            Machine::Power10 => "power10",
            Machine::Kunpeng920 => "kunpeng920-48",
        }
    }

    /// The machine of that id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Machine> {
        Machine::ALL.into_iter().find(|machine| machine.id() == id)
    }

    /// The machine itself; its name is its id.
    #[must_use]
    pub fn topology(self) -> Topology {
        let name = self.id();
        let shape = match self {
            Machine::Cpu1 => Shape::default(),
            Machine::Cpu2 => Shape { cores_per_llc: 2, ..Shape::default() },
            Machine::Cpu4 => Shape { cores_per_llc: 4, ..Shape::default() },
            // The L2 is both the cluster and the last level (R6.4.4).
            Machine::Q6600 => Shape {
                llcs_per_node: 2,
                cores_per_llc: 2,
                cores_per_cluster: Some(2),
                ..Shape::default()
            },
            Machine::Desktop16 => {
                Shape { cores_per_llc: 8, threads_per_core: 2, ..Shape::default() }
            }
            Machine::Intel2x20 => {
                Shape { sockets: 2, cores_per_llc: 20, threads_per_core: 2, ..Shape::default() }
            }
            Machine::Zen3Nps1 => return zen3(name, 1),
            Machine::Zen3Nps2 => return zen3(name, 2),
            Machine::Zen3Nps4 => return zen3(name, 4),
            Machine::Power10 => return power10(name),
            Machine::Kunpeng920 => Shape {
                nodes_per_socket: 2,
                cores_per_llc: 24,
                cores_per_cluster: Some(4),
                ..Shape::default()
            },
        };
        shape.topology(name).expect("a table of ours")
    }
}

/// 2 × 64 cores of 2 threads, 8 cores a cache; node_reclaim_distance 32 (R6.1.6).
fn zen3(name: &str, nodes_per_socket: u16) -> Topology {
    Shape {
        sockets: 2,
        nodes_per_socket,
        llcs_per_node: 8 / nodes_per_socket,
        cores_per_llc: 8,
        threads_per_core: 2,
        package_distance: 12,
        remote_distance: 32,
        ..Shape::default()
    }
    .topology(name)
    .expect("a table of ours")
    .with_reclaim_distance(crate::topology::RECLAIM_DISTANCE, 32)
}

/// 4 nodes × 2 hemispheres × 10 big cores × 2 small cores × 4 threads (R6.6.1 … R6.6.6, R6.6.9).
fn power10(name: &str) -> Topology {
    let rows = (0..640)
        .map(|cpu| {
            let small_core = 2 * (cpu / 8) + cpu % 2;
            CpuRow {
                cpu,
                core: small_core,
                cluster: None,
                llc: Some(small_core),
                coregroup: Some(cpu / 80),
                node: cpu / 160,
                package: cpu / 160,
            }
        })
        .collect();
    Topology::from_rows(name, rows, Distances::Regular { package: 40, remote: 40 })
        .expect("a table of ours")
        .with_reclaim_distance(10, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_kept() {
        for machine in Machine::ALL {
            assert_eq!(Machine::from_id(machine.id()), Some(machine));
        }
        let sizes = Machine::ALL.map(|machine| machine.topology().len());
        assert_eq!(sizes, [1, 2, 4, 4, 16, 80, 256, 256, 256, 640, 48]);
    }
}
