//! What can happen, and the queue of what will.
//!
//! At one instant, things happen in the order of their kind and then of their CPU or task: all ties
//! are broken here, in the open. At most one event of a kind waits for a CPU or task, so an event
//! is found by its kind and id, and can be moved or taken back.

use crate::cpu_set::CpuSet;
use crate::order;
use crate::units::{CpuId, TaskId, Time};

/// Something that happens at a point in time. The order of the variants is the order at one
/// instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// The running task of this CPU has done the work of its operation.
    BurstEnd(CpuId),
    /// The CPU takes up the tasks on its wake list (R0.6.6).
    WakeIpi(CpuId),
    /// The CPU notices that another CPU asked it to reschedule (R0.5.1).
    ReschedIpi(CpuId),
    /// A sleeping task's timer expires on the CPU where it was armed (A2).
    Timer(TaskId),
    /// A device interrupts a CPU: its number among [`crate::setup::Setup::interrupts`].
    Interrupt(u16),
    /// A task of the scenario starts.
    Start(TaskId),
    /// The scheduler tick of a busy CPU (R5.7.22).
    Tick(CpuId),
    /// An idle CPU balances on behalf of all idle CPUs (R5.8.11).
    IdleBalance(CpuId),
}

const KINDS: usize = 8;

impl Event {
    fn kind(self) -> u8 {
        match self {
            Event::BurstEnd(_) => 0,
            Event::WakeIpi(_) => 1,
            Event::ReschedIpi(_) => 2,
            Event::Timer(_) => 3,
            Event::Interrupt(_) => 4,
            Event::Start(_) => 5,
            Event::Tick(_) => 6,
            Event::IdleBalance(_) => 7,
        }
    }

    fn id(self) -> u32 {
        match self {
            Event::BurstEnd(cpu)
            | Event::WakeIpi(cpu)
            | Event::ReschedIpi(cpu)
            | Event::Tick(cpu)
            | Event::IdleBalance(cpu) => u32::from(cpu.0),
            Event::Timer(task) | Event::Start(task) => task.0,
            Event::Interrupt(number) => u32::from(number),
        }
    }

    fn of(kind: u8, id: u32) -> Event {
        let cpu = CpuId(id as u16);
        match kind {
            0 => Event::BurstEnd(cpu),
            1 => Event::WakeIpi(cpu),
            2 => Event::ReschedIpi(cpu),
            3 => Event::Timer(TaskId(id)),
            4 => Event::Interrupt(id as u16),
            5 => Event::Start(TaskId(id)),
            6 => Event::Tick(cpu),
            7 => Event::IdleBalance(cpu),
            _ => unreachable!("event kind {kind}"),
        }
    }
}

/// When, and the tie-break: kind in the high byte, id below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    at: Time,
    order: u32,
}

/// What waits, whatever its order in memory: looking for what comes next moves entries.
impl core::hash::Hash for EventQueue {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        let mut waiting = self.heap[usize::from(self.void)..].to_vec();
        order::sort_by_key(&mut waiting, |entry| (entry.at, entry.order));
        waiting.hash(state);
        self.ticks.hash(state);
    }
}

impl Entry {
    fn new(at: Time, event: Event) -> Entry {
        debug_assert!(event.id() < 1 << 24);
        Entry { at, order: u32::from(event.kind()) << 24 | event.id() }
    }

    fn event(self) -> Event {
        Event::of((self.order >> 24) as u8, self.order & 0xFF_FFFF)
    }

    /// What entries are sorted by, as one number: compared without a branch.
    fn key(self) -> u128 {
        u128::from(self.at.0) << 64 | u128::from(self.order)
    }

    /// Its place in the index.
    fn slot(self) -> usize {
        slot((self.order >> 24) as usize, self.order & 0xFF_FFFF)
    }
}

fn slot(kind: usize, id: u32) -> usize {
    id as usize * KINDS + kind
}

const ABSENT: u32 = u32::MAX;
/// Children of a node of the heap: a flatter heap moves fewer entries, and with each its index.
const FAN: usize = 4;

/// The events to come: a heap with an index, so that moving or taking back an event costs as
/// little as adding one, and nothing is allocated once its tables have grown.
///
/// Ticks are kept apart. All CPUs tick at the same instants, so that there are two of these at
/// most at which somebody does, and a CPU that goes idle or begins to work need only leave or join
/// a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventQueue {
    /// The first entry is void while `void` is set.
    heap: Vec<Entry>,
    /// The first entry was taken out and nothing has taken its place yet: what is added next will,
    /// which costs one sift instead of two.
    void: bool,
    /// By [`slot`]: where the event is in `heap`, or [`ABSENT`].
    places: Vec<u32>,
    /// When which CPUs tick, ascending; no set is empty.
    ticks: Vec<(Time, CpuSet)>,
    /// How many CPUs these are.
    ticking: u32,
}

impl EventQueue {
    /// How many events wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len() - usize::from(self.void) + self.ticking as usize
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// When the next event happens.
    #[must_use]
    pub fn next_time(&mut self) -> Option<Time> {
        self.fill();
        let first = self.heap.first().map(|entry| entry.at);
        let tick = self.ticks.first().map(|(at, _)| *at);
        match (first, tick) {
            (Some(first), Some(tick)) => Some(first.min(tick)),
            (first, tick) => first.or(tick),
        }
    }

    /// When the event happens, if it waits.
    #[must_use]
    pub fn time_of(&self, event: Event) -> Option<Time> {
        if let Event::Tick(cpu) = event {
            return self.ticks.iter().find(|(_, cpus)| cpus.contains(cpu)).map(|(at, _)| *at);
        }
        let place = self.place(event);
        (place != ABSENT).then(|| self.heap[place as usize].at)
    }

    /// Adds the event, or moves it to another time.
    pub fn set(&mut self, at: Time, event: Event) {
        if let Event::Tick(cpu) = event {
            self.cancel(event);
            return self.add_tick(at, cpu);
        }
        let (entry, place) = (Entry::new(at, event), self.place(event));
        if place != ABSENT {
            self.fill();
            let place = self.place(event) as usize;
            self.heap[place].at = at;
            self.settle(place);
            return;
        }
        if entry.slot() >= self.places.len() {
            self.places.resize(slot(0, event.id() + 1), ABSENT);
        }
        if core::mem::take(&mut self.void) {
            self.sink(0, entry);
        } else {
            self.heap.push(entry);
            self.rise(self.heap.len() - 1, entry);
        }
    }

    /// Takes the event back, if it waits.
    pub fn cancel(&mut self, event: Event) {
        if let Event::Tick(cpu) = event {
            let of = self.ticks.iter().position(|(_, cpus)| cpus.contains(cpu));
            return of.into_iter().for_each(|i| self.remove_tick(i, cpu));
        }
        if self.place(event) != ABSENT {
            self.fill();
            self.remove(self.place(event) as usize);
        }
    }

    /// Takes out the event that happens next.
    pub fn pop(&mut self) -> Option<(Time, Event)> {
        self.fill();
        if let Some((at, cpus)) = self.ticks.first()
            && self.heap.first().is_none_or(|first| *at <= first.at)
        {
            let (at, cpu) = (*at, cpus.lowest().expect("no set is empty"));
            let tick = Entry::new(at, Event::Tick(cpu));
            if self.heap.first().is_none_or(|first| tick.key() < first.key()) {
                self.remove_tick(0, cpu);
                return Some((at, Event::Tick(cpu)));
            }
        }
        let first = *self.heap.first()?;
        self.places[first.slot()] = ABSENT;
        self.void = true;
        Some((first.at, first.event()))
    }

    fn add_tick(&mut self, at: Time, cpu: CpuId) {
        let i = self.ticks.partition_point(|(time, _)| *time < at);
        if self.ticks.get(i).is_none_or(|(time, _)| *time != at) {
            self.ticks.insert(i, (at, CpuSet::EMPTY));
        }
        self.ticks[i].1.insert(cpu);
        self.ticking += 1;
    }

    fn remove_tick(&mut self, i: usize, cpu: CpuId) {
        let cpus = &mut self.ticks[i].1;
        cpus.remove(cpu);
        if cpus.is_empty() {
            self.ticks.remove(i);
        }
        self.ticking -= 1;
    }

    /// Lets the last entry take the place of a void first one.
    fn fill(&mut self) {
        if !core::mem::take(&mut self.void) {
            return;
        }
        let last = self.heap.pop().expect("a void entry is there");
        if !self.heap.is_empty() {
            self.sink(0, last);
        }
    }

    /// The events to come in the order in which they will happen; for display and tests.
    #[must_use]
    pub fn in_order(&self) -> Vec<(Time, Event)> {
        let mut entries = self.heap[usize::from(self.void)..].to_vec();
        for (at, cpus) in &self.ticks {
            entries.extend(cpus.iter().map(|cpu| Entry::new(*at, Event::Tick(cpu))));
        }
        order::sort_by_key(&mut entries, |entry| entry.key());
        entries.into_iter().map(|entry| (entry.at, entry.event())).collect()
    }

    fn place(&self, event: Event) -> u32 {
        self.places.get(slot(event.kind().into(), event.id())).copied().unwrap_or(ABSENT)
    }

    fn remove(&mut self, place: usize) {
        let gone = self.heap.swap_remove(place);
        self.places[gone.slot()] = ABSENT;
        if place < self.heap.len() {
            self.settle(place);
        }
    }

    /// The entry at `place` goes where it belongs.
    fn settle(&mut self, place: usize) {
        let entry = self.heap[place];
        if place > 0 && entry.key() < self.heap[(place - 1) / FAN].key() {
            self.rise(place, entry);
        } else {
            self.sink(place, entry);
        }
    }

    /// The entry goes to the void `place` or above it.
    fn rise(&mut self, mut place: usize, entry: Entry) {
        while place > 0 {
            let parent = (place - 1) / FAN;
            if self.heap[parent].key() <= entry.key() {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    /// The entry goes to the void `place` or below it.
    fn sink(&mut self, mut place: usize, entry: Entry) {
        loop {
            let first = FAN * place + 1;
            let child = match self.heap.get(first..) {
                Some(&[a, b, c, d, ..]) => {
                    let left = if b.key() < a.key() { (b.key(), 1) } else { (a.key(), 0) };
                    let right = if d.key() < c.key() { (d.key(), 3) } else { (c.key(), 2) };
                    first + if right.0 < left.0 { right.1 } else { left.1 }
                }
                Some(rest) => match (0..rest.len()).min_by_key(|&i| rest[i].key()) {
                    Some(least) => first + least,
                    None => break,
                },
                None => break,
            };
            if entry.key() <= self.heap[child].key() {
                break;
            }
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, entry);
    }

    /// Writes an entry down, and where it is.
    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.places[entry.slot()] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_a_sorted_map() {
        let mut rng = Rng::new(42);
        let mut queue = EventQueue::default();
        let mut model: BTreeMap<Event, Time> = BTreeMap::new();
        for _ in 0..20_000 {
            let event = Event::of(rng.range(0, 7) as u8, rng.range(0, 40) as u32);
            match rng.range(0, 5) {
                0 => {
                    queue.cancel(event);
                    model.remove(&event);
                }
                1 | 2 => {
                    let next = model.iter().map(|(e, t)| (*t, *e)).min();
                    assert_eq!(queue.pop(), next);
                    if let Some((_, event)) = next {
                        model.remove(&event);
                    }
                }
                _ => {
                    let at = Time(rng.range(0, 50));
                    queue.set(at, event);
                    model.insert(event, at);
                }
            }
            assert_eq!(queue.len(), model.len());
            assert_eq!(queue.time_of(event), model.get(&event).copied());
            let order: Vec<_> = queue.in_order();
            assert!(order.is_sorted() && order.len() == model.len());
        }
    }
}
