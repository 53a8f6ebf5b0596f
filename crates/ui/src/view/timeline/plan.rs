//! Which lanes the timeline has, from top to bottom, and how high they are.
//!
//! This is also what the page asks the session's window for: [`LanePlan::cpus`] as full lanes, and
//! heat strips if [`LanePlan::wants_heat`]. It depends on the machine, the focus, the decision
//! and the height, never on what ran.

use crate::format;
use schedscope_session::order;
use schedscope_session::update::{
    Cpu, Decision, DecisionKind, Loaded, Machine, Moment, Picture, Task, TaskState,
};

/// With more CPUs than this, lanes fold into one strip per LLC.
pub const FOLD_ABOVE: usize = 48;
/// Letters and marks need lanes of this height.
pub const LETTERS: f32 = 14.0;
/// At most so many task rows lie under the focus CPU.
pub const TASK_ROWS: usize = 8;
/// At most so many CPUs of a decision get a full lane.
const NAMED: usize = 6;

/// A CPU that matters for the decision, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuRole {
    /// The CPU.
    pub cpu: Cpu,
    /// "waker, target".
    pub role: String,
}

/// What the plan is made from.
#[derive(Clone, Debug)]
pub struct Wish<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The CPU in focus.
    pub focus: Cpu,
    /// CPUs of the decision (see [`roles`]).
    pub roles: &'a [CpuRole],
    /// Tasks that get a row under the focus CPU (see [`focus_tasks`]).
    pub tasks: &'a [Task],
    /// The LLC that was searched, if one was.
    pub searched: Option<u16>,
    /// Height of the whole timeline, px.
    pub height: f32,
    /// Present mode: 20 px floor.
    pub present: bool,
    /// Whether the strip of decisions is wanted.
    pub decisions: bool,
    /// Whether the overview of the whole run is wanted (pages at least 820 px high).
    pub overview: bool,
    /// Names of two kernels whose lanes lie one above the other, if two run.
    pub beside: Option<[&'a str; 2]>,
}

/// How a lane is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneForm {
    /// With name, letters and marks.
    Named,
    /// A thin bar in a group of siblings.
    Thin,
}

/// A lane.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneRow {
    /// Its CPU.
    pub cpu: Cpu,
    /// Its top, px.
    pub y: f32,
    /// Its height, px.
    pub height: f32,
    /// How it is drawn.
    pub form: LaneForm,
}

/// A label in the column on the left.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelRow {
    /// Its middle, px.
    pub y: f32,
    /// "CPU 2", "core 3", "LLC 4".
    pub name: String,
    /// What stands beside it.
    pub beside: String,
    /// Whether `beside` is a list of numbers.
    pub numbers: bool,
    /// Bold.
    pub strong: bool,
    /// The CPU or LLC it names: (CPU, false) or (LLC, true).
    pub target: Option<(u16, bool)>,
}

/// A strip of the busy share of an LLC, or of a few.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatRow {
    /// First LLC.
    pub llc: u16,
    /// How many LLCs it averages.
    pub count: u16,
    /// Its top, px.
    pub y: f32,
    /// Its height, px.
    pub height: f32,
    /// The one that was searched: an area instead of shades.
    pub strong: bool,
}

/// The lanes of the timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LanePlan {
    /// Height of the ruler.
    pub ruler: f32,
    /// The strip of decisions: top and height, if there is one.
    pub decisions: Option<(f32, f32)>,
    /// Lanes, top to bottom.
    pub lanes: Vec<LaneRow>,
    /// Rows of tasks under the focus CPU: task and top.
    pub tasks: Vec<(Task, f32)>,
    /// Height of a task row.
    pub task_height: f32,
    /// Strips, top to bottom.
    pub heat: Vec<HeatRow>,
    /// Labels.
    pub labels: Vec<LabelRow>,
    /// Hairlines between regions.
    pub rules: Vec<f32>,
    /// The overview: top and height, if there is one.
    pub overview: Option<(f32, f32)>,
    /// Where lanes and strips end.
    pub bottom: f32,
    /// Height of all.
    pub height: f32,
    /// Font size.
    pub font: f32,
    /// The lanes of the second run, below those of the first.
    pub beside: Option<Box<LanePlan>>,
    /// Whether these are those.
    pub second: bool,
    /// The band that marks where the two differ: top and height; in the second run's plan.
    pub band: Option<(f32, f32)>,
}

impl LanePlan {
    /// The CPUs to ask full lanes for.
    #[must_use]
    pub fn cpus(&self) -> Vec<Cpu> {
        self.lanes.iter().map(|lane| lane.cpu).collect()
    }

    /// Whether to ask for heat strips.
    #[must_use]
    pub fn wants_heat(&self) -> bool {
        !self.heat.is_empty()
    }

    /// The lane of a CPU.
    #[must_use]
    pub fn lane(&self, cpu: Cpu) -> Option<&LaneRow> {
        self.lanes.iter().find(|lane| lane.cpu == cpu)
    }

    /// The lane at a height.
    #[must_use]
    pub fn lane_at(&self, y: f32) -> Option<&LaneRow> {
        self.lanes.iter().find(|lane| (lane.y - 1.0..lane.y + lane.height + 1.0).contains(&y))
    }
}

/// The CPUs that matter for a decision, each with its roles, the chosen one first.
#[must_use]
pub fn roles(decision: &Decision) -> Vec<CpuRole> {
    let named: Vec<(Cpu, &str)> = match &decision.picture {
        Picture::Place(place) => {
            let mut named = vec![(place.chosen, "chosen")];
            if place.waker.is_some() {
                named.push((place.this_cpu, "waker"));
            }
            named.push((place.target, "target"));
            named.push((place.prev_cpu, "prev"));
            named.extend(place.recent.map(|cpu| (cpu, "recent")));
            let missed = place.not_reached.iter();
            let missed = missed.filter(|cpu| place.idle.get(usize::from(**cpu)) == Some(&true));
            named.extend(missed.take(1).map(|cpu| (*cpu, "idle, not reached")));
            named
        }
        Picture::Groups(groups) => {
            let word = match decision.kind {
                DecisionKind::Balance => "pulls",
                _ => "forks",
            };
            let from =
                if decision.kind == DecisionKind::Balance { "pulled from" } else { "chosen" };
            let mut named = vec![(groups.this_cpu, word)];
            named.extend(groups.chosen.map(|cpu| (cpu, from)));
            named
        }
        Picture::Pick(_) | Picture::None => vec![(decision.cpu, "")],
    };
    let mut roles: Vec<CpuRole> = Vec::new();
    for (cpu, role) in named {
        match roles.iter_mut().find(|known| known.cpu == cpu) {
            Some(known) => known.role = format!("{}, {role}", known.role),
            None => roles.push(CpuRole { cpu, role: role.to_string() }),
        }
    }
    roles
}

/// The tasks that get a row under the focus CPU: those confined to it; on a small machine, all of a
/// small run.
#[must_use]
pub fn focus_tasks(loaded: &Loaded, moment: &Moment, focus: Cpu) -> Vec<Task> {
    let alive = moment.tasks.iter().enumerate().filter(|(_, task)| task.state != TaskState::Exited);
    let muted = |row: u16| loaded.rows.get(usize::from(row)).is_some_and(|row| row.muted);
    let alive: Vec<_> = alive.filter(|(_, task)| !muted(task.row)).collect();
    let few = alive.len() <= TASK_ROWS && loaded.machine.cpus.len() <= TASK_ROWS;
    let mine = alive.iter().filter(|(_, task)| few || (task.confined && task.cpu == focus));
    mine.take(TASK_ROWS).map(|(number, _)| *number as Task).collect()
}

/// Makes the plan.
#[must_use]
pub fn lane_plan(wish: &Wish) -> LanePlan {
    let font = if wish.present { 20.0 } else { 12.0 };
    let ruler = if wish.present { 34.0 } else { 22.0 };
    let mut plan = LanePlan { ruler, font, height: wish.height, ..LanePlan::default() };
    let mut top = ruler;
    if wish.decisions {
        let height = if wish.present { 30.0 } else { 20.0 };
        plan.decisions = Some((top, height));
        plan.label_plain(top + height * 0.5, "decisions");
        top += height;
        plan.rules.push(top);
    }
    let mut bottom = wish.height;
    if wish.overview {
        let height = if wish.present { 30.0 } else { 18.0 };
        bottom -= height + 6.0;
        plan.overview = Some((bottom + 3.0, height));
    }
    match wish.beside {
        None => plan.all_lanes(wish, Room { top, bottom }),
        Some([first, other]) => {
            let middle = (f32::midpoint(top, bottom)).floor();
            let heading = font + 6.0;
            plan.heading(top + heading / 2.0, first);
            plan.all_lanes(wish, Room { top: top + heading, bottom: middle - 2.0 });
            plan.rules.push(middle);
            let mut second = LanePlan { second: true, font, ..LanePlan::default() };
            second.heading(middle + heading / 2.0, other);
            second.band = Some((middle + 3.0, heading - 6.0));
            second.all_lanes(wish, Room { top: middle + heading, bottom });
            plan.bottom = second.bottom;
            second.height = plan.height;
            plan.beside = Some(Box::new(second));
        }
    }
    plan
}

/// What is left between top and bottom.
#[derive(Clone, Copy)]
struct Room {
    top: f32,
    bottom: f32,
}

impl Room {
    fn height(self) -> f32 {
        (self.bottom - self.top).max(0.0)
    }
}

impl LanePlan {
    fn label_plain(&mut self, y: f32, name: &str) {
        self.labels.push(LabelRow {
            y,
            name: name.to_string(),
            beside: String::new(),
            numbers: false,
            strong: false,
            target: None,
        });
    }

    /// The name of the kernel whose lanes follow.
    fn heading(&mut self, y: f32, name: &str) {
        self.label_plain(y, name);
        if let Some(label) = self.labels.last_mut() {
            label.strong = true;
        }
    }

    /// The lanes of a run.
    fn all_lanes(&mut self, wish: &Wish, room: Room) {
        let cpus = wish.machine.cpus.len();
        let named_height = if wish.present { 36.0 } else { 22.0 };
        let each = (room.height() / cpus.max(1) as f32) - 6.0;
        if cpus <= FOLD_ABOVE && each >= LETTERS.max(self.font + 2.0) {
            self.all_named(wish, room, each.min(named_height * 1.4).floor());
            return;
        }
        let after = self.named_lanes(wish, room, named_height);
        let thin = cpus - self.lanes.len();
        let left = Room { top: after, bottom: room.bottom };
        if cpus <= FOLD_ABOVE && (thin == 0 || left.height() >= thin as f32 * 3.0 + 2.0) {
            self.thin_lanes(wish, left);
        } else {
            self.heat_strips(wish, left);
        }
    }

    fn named(&mut self, cpu: Cpu, y: f32, height: f32, beside: &str) {
        self.lanes.push(LaneRow { cpu, y, height, form: LaneForm::Named });
        self.labels.push(LabelRow {
            y: y + height / 2.0,
            name: format!("CPU {cpu}"),
            beside: beside.to_string(),
            numbers: false,
            strong: true,
            target: Some((cpu, false)),
        });
    }

    /// Few CPUs: all in their order, all with letters.
    fn all_named(&mut self, wish: &Wish, room: Room, height: f32) {
        let spare = room.height() - wish.machine.cpus.len() as f32 * (height + 6.0);
        let mut y = room.top;
        for cpu in 0..wish.machine.cpus.len() as Cpu {
            let role = wish.roles.iter().find(|role| role.cpu == cpu && !self.second);
            self.named(cpu, y + 4.0, height, role.map_or("", |role| role.role.as_str()));
            y += height + 6.0;
            if cpu == wish.focus {
                y = self.task_rows(wish, y, spare);
            }
            self.rules.push(y);
        }
        self.bottom = y;
    }

    /// Lanes of the focus CPU and of the decision's CPUs; answers where they end.
    fn named_lanes(&mut self, wish: &Wish, room: Room, height: f32) -> f32 {
        let focus = CpuRole { cpu: wish.focus, role: String::new() };
        let mut named: Vec<&CpuRole> = wish.roles.iter().collect();
        match named.iter().position(|role| role.cpu == wish.focus) {
            Some(at) => named.swap(0, at),
            None => named.insert(0, &focus),
        }
        named.retain(|role| usize::from(role.cpu) < wish.machine.cpus.len());
        let most = (room.height() * 0.6 / (height + 6.0)).floor().clamp(1.0, NAMED as f32);
        let mut y = room.top;
        for (i, role) in named.iter().take(most as usize).enumerate() {
            let words = if self.second { "" } else { &role.role };
            self.named(role.cpu, y + 4.0, height, words);
            y += height + 6.0;
            if i == 0 {
                y = self.task_rows(wish, y, room.height() * 0.62 - (y - room.top));
            }
            self.rules.push(y);
        }
        self.bottom = y;
        y
    }

    /// Rows of the tasks under the focus CPU, if they fit into `spare`.
    fn task_rows(&mut self, wish: &Wish, y: f32, spare: f32) -> f32 {
        let height = if wish.present { 10.0 } else { 6.0 };
        let tasks = &wish.tasks[..wish.tasks.len().min(TASK_ROWS)];
        let all = tasks.len() as f32 * height + 4.0;
        if tasks.is_empty() || all > spare {
            return y;
        }
        self.task_height = height;
        self.tasks = tasks.iter().zip(0..).map(|(t, i)| (*t, y + i as f32 * height)).collect();
        if all >= self.font + 4.0 {
            self.labels.push(LabelRow {
                y: y + (all - 4.0) / 2.0,
                name: String::new(),
                beside: "solid: runs, dotted: waits".to_string(),
                numbers: false,
                strong: false,
                target: None,
            });
        }
        y + all
    }

    /// All other CPUs as thin lanes, siblings together.
    fn thin_lanes(&mut self, wish: &Wish, room: Room) {
        let mut cores: Vec<(u16, Vec<Cpu>)> = Vec::new();
        for (cpu, place) in wish.machine.cpus.iter().enumerate() {
            let cpu = cpu as Cpu;
            if self.lane(cpu).is_some() {
                continue;
            }
            match cores.iter_mut().find(|(core, _)| *core == place.core) {
                Some((_, cpus)) => cpus.push(cpu),
                None => cores.push((place.core, vec![cpu])),
            }
        }
        order::sort_by_key(&mut cores, |(core, _)| *core);
        let count: usize = cores.iter().map(|(_, cpus)| cpus.len()).sum();
        if count == 0 {
            return;
        }
        let (n, groups) = (count as f32, cores.len() as f32);
        let gap = if room.height() >= n * 3.0 + groups * 2.0 + 2.0 { 2.0 } else { 0.0 };
        let height = ((room.height() - groups * gap - 2.0) / n - 1.0).floor().clamp(2.0, 10.0);
        let mut y = room.top + 2.0;
        let mut free = f32::MIN;
        for (core, cpus) in cores {
            let group = cpus.len() as f32 * (height + 1.0);
            let middle = y + group / 2.0;
            let half = self.font * 0.55;
            if middle - half >= free && middle + half <= room.bottom + 2.0 {
                free = middle + self.font * 0.55;
                self.labels.push(thin_label(wish.machine, core, &cpus, middle));
            }
            for cpu in cpus {
                self.lanes.push(LaneRow { cpu, y, height, form: LaneForm::Thin });
                y += height + 1.0;
            }
            y += gap;
        }
        self.bottom = y;
    }

    /// One strip per LLC, or per few LLCs where there are very many.
    fn heat_strips(&mut self, wish: &Wish, room: Room) {
        let llcs = wish.machine.llcs.len() as u16;
        if llcs == 0 || room.height() < 14.0 {
            return;
        }
        let strong = wish.searched.filter(|llc| *llc < llcs);
        let strong_height = if strong.is_some() { self.font + 2.0 } else { 0.0 };
        let left = room.height() - strong_height - 9.0;
        let per =
            (1..=llcs).find(|per| left / f32::from(llcs.div_ceil(*per)) >= 3.0).unwrap_or(llcs);
        let strips = llcs.div_ceil(per);
        let pitch = (left / f32::from(strips)).floor().clamp(3.0, 14.0);
        let mut y = room.top + 7.0;
        let half = self.font * 0.58;
        // Every second, fourth, … strip has a label, and none that would touch the searched one's.
        let stride = (0..16).map(|n| 1u16 << n).find(|n| f32::from(*n) * pitch >= half * 2.0);
        let stride = stride.unwrap_or(1) * per;
        let strong_strip = strong.map(|llc| llc / per);
        for first in (0..llcs).step_by(usize::from(per)) {
            let strip = first / per;
            let is_strong = strong_strip == Some(strip);
            let height = if is_strong { strong_height } else { pitch - 1.0 };
            let count = per.min(llcs - first);
            self.heat.push(HeatRow { llc: first, count, y, height, strong: is_strong });
            let apart = strong_strip.is_none_or(|strong| {
                let strips = f32::from(strip.abs_diff(strong));
                (strips - 0.5) * pitch + strong_height / 2.0 - 0.5 >= half * 2.0
            });
            let room_left = y + height / 2.0 + half <= room.bottom + 1.0;
            if room_left && (is_strong || (first.is_multiple_of(stride) && apart)) {
                let beside = match (is_strong, first) {
                    (true, _) => "searched LLC",
                    (_, 0) => "share of CPUs busy",
                    _ => "",
                };
                self.labels.push(LabelRow {
                    y: y + height / 2.0,
                    name: llc_name(wish.machine, first),
                    beside: beside.to_string(),
                    numbers: false,
                    strong: is_strong,
                    target: Some((first, true)),
                });
            }
            y += height + 1.0;
        }
        self.bottom = y;
    }
}

fn llc_name(machine: &Machine, llc: u16) -> String {
    machine.llc_names.get(usize::from(llc)).cloned().unwrap_or_else(|| format!("LLC {llc}"))
}

fn thin_label(machine: &Machine, core: u16, cpus: &[Cpu], y: f32) -> LabelRow {
    let alone = machine.threads_per_core <= 1;
    let numbers: Vec<String> = cpus.iter().map(u16::to_string).collect();
    let beside = if numbers.len() > 4 { format::cpu_list(cpus) } else { numbers.join(" · ") };
    LabelRow {
        y,
        name: if alone { format!("CPU {}", cpus[0]) } else { format!("core {core}") },
        beside: if alone { String::new() } else { beside },
        numbers: true,
        strong: false,
        target: cpus.first().map(|cpu| (*cpu, false)),
    }
}
