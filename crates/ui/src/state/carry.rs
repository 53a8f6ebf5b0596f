//! Carrying a card to a CPU, by pointer, touch or keyboard.

use super::{AppState, PATTERNS, Pattern};
use crate::action::Load;
use schedscope_session::{Edit, Who};

/// A card on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carry {
    /// What.
    pub load: Load,
    /// Whether the keyboard carries it.
    pub keys: bool,
    /// The CPU under it.
    pub over: Option<u16>,
    /// Whether dropping pins.
    pub pin: bool,
    /// The CPU list typed so far.
    pub text: String,
}

/// Whether a CPU is in a list with ranges; the empty list is everywhere.
fn in_list(list: &str, cpu: u16) -> bool {
    let within = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (from.trim().parse::<u16>(), to.trim().parse::<u16>());
        matches!((from, to), (Ok(from), Ok(to)) if (from..=to).contains(&cpu))
    };
    list.trim().is_empty() || list.split(',').any(within)
}

impl AppState {
    /// The name of what is carried.
    #[must_use]
    pub fn carried_name(&self) -> String {
        match self.carry.as_ref().map(|c| &c.load) {
            Some(Load::Row(row)) => self.row_name(*row),
            Some(Load::Pattern(i)) => PATTERNS.get(*i).map_or("", |p| p.label).to_string(),
            None => String::new(),
        }
    }

    /// The name of a row.
    #[must_use]
    pub fn row_name(&self, row: u16) -> String {
        let rows = self.doc.as_ref().map(|d| &d.rows);
        rows.and_then(|r| r.get(usize::from(row))).map_or_else(String::new, |r| r.name.clone())
    }

    /// What dropping would do here, in words.
    #[must_use]
    pub fn carry_says(&self) -> String {
        let Some(carry) = &self.carry else { return String::new() };
        let verb = match (&carry.load, carry.pin) {
            (_, true) => "pin to",
            (Load::Pattern(_), false) => "start on",
            (Load::Row(_), false) if self.cursor.step == 0 => "start on",
            (Load::Row(_), false) => "move to",
        };
        if !carry.text.trim().is_empty() {
            return match carry.text.trim() {
                "any" => "any CPU".into(),
                list if list.starts_with(|c: char| c.is_ascii_digit()) => {
                    format!("{verb} CPU {list}")
                }
                place => {
                    let place = place.replace("llc", "LLC").replace("package", "socket");
                    format!("keep on {place}")
                }
            };
        }
        match carry.over {
            Some(cpu) => format!("{verb} CPU {cpu}"),
            None if carry.keys && matches!(carry.load, Load::Pattern(_)) => {
                "start on any CPU".into()
            }
            None => format!("{verb} CPU …"),
        }
    }

    pub(super) fn pick_up(&mut self, load: Load, keys: bool) {
        if let Load::Row(row) = load {
            if !self.has_row(row) {
                return;
            }
            // The keyboard carries what is selected; a pointer leaves the list as it lies.
            if keys {
                self.selected = Some(row);
            }
        }
        // A row starts where one looks, and so does a thread that is bound to one CPU; any other
        // pattern may run anywhere until a CPU is named.
        let placed = match &load {
            Load::Row(_) => true,
            Load::Pattern(index) => PATTERNS.get(*index).is_some_and(Pattern::bound),
        };
        let over = (keys && placed && self.doc.is_some()).then_some(self.focus);
        self.carry = Some(Carry { load, keys, over, pin: false, text: String::new() });
        let how = if keys {
            ". Arrow keys choose a CPU, or type a CPU list; P pins; Enter puts it down, Escape puts it back"
        } else {
            ""
        };
        self.status = format!("{} picked up{how}", self.carried_name());
    }

    pub(super) fn carry_over(&mut self, cpu: Option<u16>) {
        let cpus = self.doc.as_ref().map_or(0, |d| d.machine.cpus.len());
        let says = |state: &AppState, cpu: u16| match state.runs_on(cpu) {
            Some(name) => format!("CPU {cpu}, running {name}"),
            None => format!("CPU {cpu}, idle"),
        };
        if let Some(carry) = &mut self.carry {
            let cpu = cpu.filter(|&c| usize::from(c) < cpus);
            if carry.over != cpu {
                carry.over = cpu;
                if let Some(cpu) = cpu {
                    self.status = says(self, cpu);
                }
            }
        }
    }

    /// The label of what runs on a CPU.
    fn runs_on(&self, cpu: u16) -> Option<String> {
        let moment = self.moment.as_ref()?;
        let task = moment.cpus.get(usize::from(cpu))?.curr?;
        let row = moment.tasks.get(task as usize)?.row;
        Some(self.row_name(row))
    }

    /// The LLC that is worth drawing large while a card is over this CPU: where cells are small.
    #[must_use]
    pub fn lens_for(&self, cpu: u16) -> Option<u16> {
        let machine = &self.doc.as_ref()?.machine;
        (machine.cpus.len() > 64).then(|| machine.cpus.get(usize::from(cpu)).map(|c| c.llc))?
    }

    pub(super) fn carry_pin(&mut self, pin: bool) {
        if let Some(carry) = &mut self.carry {
            carry.pin = pin;
            self.status = self.carry_says();
        }
    }

    pub(super) fn carry_text(&mut self, text: String) {
        if let Some(carry) = &mut self.carry {
            if let Ok(cpu) = text.trim().parse::<u16>() {
                carry.over = Some(cpu);
            }
            carry.text = text;
        }
    }

    pub(super) fn put_back(&mut self) {
        self.lens = None;
        if self.carry.take().is_some() {
            self.status = "Put back".into();
        }
    }

    pub(super) fn put_down(&mut self) {
        let Some(carry) = self.carry.take() else { return };
        self.lens = None;
        let text = carry.text.trim().to_string();
        let one = text.parse::<u16>().ok();
        match carry.load {
            Load::Row(row) => {
                let cpu = one.or(carry.over);
                let mask = self.row_now(row).affinity;
                let pinned = mask.parse::<u16>().is_ok();
                match cpu {
                    // Where the mask forbids it, only a pin that moves along is possible.
                    Some(cpu) if !carry.pin && !pinned && !in_list(&mask, cpu) => {
                        let name = self.row_name(row);
                        self.status = format!(
                            "{name} may run on CPUs {mask} only; hold Shift to pin it to CPU {cpu}"
                        );
                    }
                    _ => self.put_row(Who::Row(row), &text, cpu, carry.pin || pinned),
                }
            }
            Load::Pattern(i) => {
                let cpu = one.or(carry.over);
                let list = match (self.cpu_list(&text), cpu) {
                    (Some(list), _) => Some(list),
                    (None, Some(cpu)) if carry.pin => Some(cpu.to_string()),
                    _ => None,
                };
                self.look_where(cpu);
                self.add_pattern(i, cpu, list);
            }
        }
    }

    /// Before the first event nothing runs there yet: its lane and its place are shown.
    fn look_where(&mut self, cpu: Option<u16>) {
        if let Some(cpu) = cpu.filter(|_| self.cursor.step == 0) {
            self.look_at(cpu, true);
        }
    }

    fn put_row(&mut self, who: Who, text: &str, cpu: Option<u16>, pin: bool) {
        let list = self.cpu_list(text);
        self.look_where(cpu.filter(|_| list.is_none()));
        match (list, cpu) {
            (Some(list), _) => self.edit(Edit::Affinity(who, list)),
            (None, Some(cpu)) if pin => self.edit(Edit::Affinity(who, cpu.to_string())),
            (None, Some(cpu)) => self.edit(Edit::Move(who, cpu)),
            (None, None) => self.status = "Put back: it was not over a CPU".into(),
        }
    }

    /// A typed list that is more than one CPU's number: "8-15", "llc 4", "node 2", "any".
    #[must_use]
    pub fn cpu_list(&self, text: &str) -> Option<String> {
        if text.is_empty() || text.parse::<u16>().is_ok() {
            return None;
        }
        if text == "any" || text == "all" {
            return Some(String::new());
        }
        let machine = self.doc.as_ref().map(|d| &d.machine)?;
        let numbered = |word: &str| text.strip_prefix(word)?.trim().parse::<u16>().ok();
        let these = |suits: &dyn Fn(&schedscope_session::update::CpuPlace) -> bool| {
            let list: Vec<String> = (0..machine.cpus.len())
                .filter(|&c| suits(&machine.cpus[c]))
                .map(|c| c.to_string())
                .collect();
            list.join(",")
        };
        if let Some(n) = numbered("llc") {
            return Some(these(&|c| c.llc == n));
        }
        if let Some(n) = numbered("node") {
            return Some(these(&|c| c.node == n));
        }
        if let Some(n) = numbered("package") {
            return Some(these(&|c| c.package == n));
        }
        if let Some(n) = numbered("core") {
            return Some(these(&|c| c.core == n));
        }
        Some(text.to_string())
    }

    /// Adds the rows of a pattern, with names that are not taken.
    fn add_pattern(&mut self, index: usize, cpu: Option<u16>, list: Option<String>) {
        let Some(pattern) = PATTERNS.get(index) else { return };
        let taken =
            |name: &str| self.doc.as_ref().is_some_and(|d| d.rows.iter().any(|r| r.name == name));
        let suffix = (1..)
            .map(|n| if n == 1 { String::new() } else { format!("-{n}") })
            .find(|s| !pattern.rows.iter().any(|(name, _)| taken(&format!("{name}{s}"))))
            .unwrap_or_default();
        let rows: Vec<(String, Option<u16>)> = pattern
            .rows
            .iter()
            .map(|(name, fields)| {
                let fields = fields.replace("pipe-a", &format!("pipe-a{suffix}"));
                let fields = fields.replace("pipe-b", &format!("pipe-b{suffix}"));
                let fields = fields.replace("fork worker", &format!("fork worker{suffix}"));
                let starts = !fields.contains("start = \"fork\"");
                let pinned = match &list {
                    Some(list) if starts => format!("\naffinity = \"{list}\""),
                    _ => String::new(),
                };
                (format!("name = \"{name}{suffix}\"\n{fields}{pinned}\n"), cpu.filter(|_| starts))
            })
            .collect();
        for (i, (row, cpu)) in rows.into_iter().enumerate() {
            self.edit_joined(Edit::Add(row, cpu), i > 0);
        }
    }
}
