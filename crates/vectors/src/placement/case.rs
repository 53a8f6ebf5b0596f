//! One wakeup: from the recorded `in` to an `out` of ours, field by field.

use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::Features;
use schedscope_sim::place::{Opinion, Placement, Seen, Side, View, Wake, Wakee, Waker, place};
use schedscope_sim::topology::LlcId;
use schedscope_sim::units::CpuId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// HZ of the vectors.
pub(super) const HZ: u64 = 1000;

/// The recorded state before a wakeup. A kernel's vectors name only what it reads.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct In {
    pub this_cpu: u16,
    pub prev_cpu: u16,
    pub sync: u8,
    pub idle: String,
    pub nr_running: String,
    pub allowed: String,
    pub jiffies: u64,
    pub waker_flips: u32,
    pub wakee_flips: u32,
    pub last_wakee_is_p: u8,
    pub waker_decay_ts: u64,
    pub load_this: u64,
    pub load_prev: u64,
    pub cap_this: u64,
    pub cap_prev: u64,
    pub task_load: u64,
    pub waker_load: u64,
    #[serde(default)]
    pub has_idle_cores: Vec<u8>,
    #[serde(default)]
    pub wakee_recent: u16,
    #[serde(default)]
    pub waker_recent: u16,
    #[serde(default)]
    pub waker_exiting: u8,
    #[serde(default)]
    pub avg_idle: u64,
    #[serde(default)]
    pub wake_avg_idle: u64,
    #[serde(default)]
    pub wake_stamp: u64,
    #[serde(default)]
    pub avg_scan_cost: u64,
    #[serde(default)]
    pub clock_step: u64,
    #[serde(default = "none")]
    pub sched_idle: String,
    #[serde(default)]
    pub waker_percpu_kthread: u8,
    #[serde(default)]
    pub in_task: u8,
    #[serde(default)]
    pub nr_idle_scan: Vec<u32>,
    #[serde(default)]
    pub wf_current_cpu: u8,
}

fn none() -> String {
    "none".to_owned()
}

/// A string of 0 and 1, one a CPU.
pub(super) fn bits(text: &str) -> Vec<bool> {
    text.bytes().map(|byte| byte == b'1').collect()
}

/// The machine as a recorded state describes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Machine {
    pub idle: Vec<bool>,
    pub sched_idle: Vec<bool>,
    pub nr_running: Vec<u32>,
    /// Load and capacity of the CPUs that the state names.
    pub named: Vec<(CpuId, u64, u64)>,
    pub has_idle_cores: Vec<u8>,
    pub nr_idle_scan: Vec<u32>,
    pub avg_idle: u64,
    pub wake_avg_idle: u64,
    pub wake_stamp: u64,
    pub avg_scan_cost: u64,
    pub clock_step: u64,
}

impl View for Machine {
    fn idle(&self, cpu: CpuId) -> bool {
        self.idle[cpu.index()]
    }
    fn sched_idle(&self, cpu: CpuId) -> bool {
        self.sched_idle.get(cpu.index()).is_some_and(|yes| *yes)
    }
    fn nr_running(&self, cpu: CpuId) -> u32 {
        self.nr_running[cpu.index()]
    }
    fn load(&self, cpu: CpuId) -> u64 {
        self.named.iter().find(|named| named.0 == cpu).map_or(0, |named| named.1)
    }
    fn capacity(&self, cpu: CpuId) -> u64 {
        self.named.iter().find(|named| named.0 == cpu).map_or(1024, |named| named.2)
    }
    fn has_idle_cores(&self, llc: LlcId) -> bool {
        self.has_idle_cores[llc.index()] != 0
    }
    fn nr_idle_scan(&self, llc: LlcId) -> u32 {
        self.nr_idle_scan[llc.index()]
    }
    fn avg_idle(&self, _cpu: CpuId) -> u64 {
        self.avg_idle
    }
    fn wake_avg_idle(&self, _cpu: CpuId) -> u64 {
        self.wake_avg_idle
    }
    fn wake_stamp(&self, _cpu: CpuId) -> u64 {
        self.wake_stamp
    }
    fn avg_scan_cost(&self, _cpu: CpuId) -> u64 {
        self.avg_scan_cost
    }
    fn scan_time(&self, _visited: u32) -> u64 {
        self.clock_step
    }
}

impl In {
    fn machine(&self) -> Machine {
        let sched_idle =
            if self.sched_idle == "none" { Vec::new() } else { bits(&self.sched_idle) };
        Machine {
            idle: bits(&self.idle),
            sched_idle,
            nr_running: self.nr_running.bytes().map(|digit| u32::from(digit - b'0')).collect(),
            named: vec![
                (CpuId(self.this_cpu), self.load_this, self.cap_this),
                (CpuId(self.prev_cpu), self.load_prev, self.cap_prev),
            ],
            has_idle_cores: self.has_idle_cores.clone(),
            nr_idle_scan: self.nr_idle_scan.clone(),
            avg_idle: self.avg_idle,
            wake_avg_idle: self.wake_avg_idle,
            wake_stamp: self.wake_stamp,
            avg_scan_cost: self.avg_scan_cost,
            clock_step: self.clock_step,
        }
    }

    /// Where the wakee goes.
    pub(super) fn decide(
        &self,
        domains: &Domains,
        features: Features,
        seen: &mut Seen,
    ) -> Placement {
        let allowed: CpuSet = if self.allowed == "all" {
            CpuSet::first(domains.cpus())
        } else {
            let allowed = bits(&self.allowed);
            (0..domains.cpus() as u16).map(CpuId).filter(|cpu| allowed[cpu.index()]).collect()
        };
        let wake = Wake {
            this_cpu: CpuId(self.this_cpu),
            prev_cpu: CpuId(self.prev_cpu),
            sync: self.sync != 0,
            current_cpu: self.wf_current_cpu != 0,
            allowed: &allowed,
            jiffies: self.jiffies,
            hz: HZ,
            waker: Waker {
                flips: self.waker_flips,
                decay_ts: self.waker_decay_ts,
                last_wakee_is_same: self.last_wakee_is_p != 0,
                load: self.waker_load,
                exiting: self.waker_exiting != 0,
                per_cpu_kthread: self.waker_percpu_kthread != 0,
                in_task: self.in_task != 0,
            },
            wakee: Wakee {
                flips: self.wakee_flips,
                load: self.task_load,
                recent: CpuId(self.wakee_recent),
            },
        };
        place(domains, features, &self.machine(), &wake, seen)
    }

    /// Our `out`, with every field of every kernel.
    pub(super) fn place(&self, domains: &Domains, features: Features) -> Value {
        let mut seen = Seen::default();
        let placement = self.decide(domains, features, &mut seen);
        self.out(domains, &placement, &seen)
    }

    /// What the vectors write of a placement.
    pub(super) fn out(&self, domains: &Domains, placement: &Placement, seen: &Seen) -> Value {
        let effects = &placement.effects;
        let mut has_idle_cores = self.has_idle_cores.clone();
        if let Some(llc) = effects.idle_cores_cleared {
            has_idle_cores[llc.index()] = 0;
        }
        let allowed = self.allowed == "all" || bits(&self.allowed)[placement.cpu.index()];
        let dom_tests: Vec<Value> = seen
            .domains
            .iter()
            .map(|(id, yes)| json!([domains.domain(*id).name.name(), u8::from(*yes)]))
            .collect();
        let probes: Vec<Value> = seen
            .probes
            .iter()
            .map(|probe| {
                let code = format!("{}{}", probe.at.name(), probe.test.mark());
                json!([code, probe.cpu.0, u8::from(probe.yes)])
            })
            .collect();
        let affine = placement.affine_domain;
        json!({
            "wake_wide": placement.wide.map(u8::from),
            "want_affine": placement.want_affine.map(u8::from),
            "affine_domain": affine.map(|(id, _)| domains.domain(id).name.name()),
            "affine_level": affine.map(|(_, level)| level),
            "dom_tests": dom_tests,
            "wa_idle": placement.wa_idle.map(Opinion::name),
            "wa_weight": placement.wa_weight.map(Opinion::name),
            "wake_affine": placement.wake_affine.map(Side::name),
            "target": placement.target.map(|cpu| cpu.0),
            "cpu": placement.cpu.0,
            "cpu_allowed": u8::from(allowed),
            "branch": placement.branch.name(),
            "scan_exit": placement.scan_exit.name(),
            "probes": probes,
            "waker_flips": effects.waker_flips,
            "waker_decay_ts": effects.waker_decay_ts,
            "has_idle_cores": has_idle_cores,
            "wakee_recent": effects.wakee_recent.map_or(self.wakee_recent, |cpu| cpu.0),
            "waker_recent": effects.waker_recent.map_or(self.waker_recent, |cpu| cpu.0),
            "avg_scan_cost": effects.avg_scan_cost.unwrap_or(self.avg_scan_cost),
            "wake_avg_idle": effects.wake_avg_idle.unwrap_or(self.wake_avg_idle),
            "wake_stamp": effects.wake_stamp.unwrap_or(self.wake_stamp),
            "clock_reads": placement.clock_reads,
        })
    }
}
