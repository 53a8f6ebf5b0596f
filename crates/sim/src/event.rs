//! What can happen, and the queue of what will.
//!
//! At one instant, things happen in the order of their kind and then of their CPU or task: all ties
//! are broken here, in the open. At most one event of a kind waits for a CPU or task, so an event
//! is found by its kind and id, and can be moved or taken back.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Entry {
    at: Time,
    order: u32,
}

impl Entry {
    fn new(at: Time, event: Event) -> Entry {
        debug_assert!(event.id() < 1 << 24);
        Entry { at, order: u32::from(event.kind()) << 24 | event.id() }
    }

    fn event(self) -> Event {
        Event::of((self.order >> 24) as u8, self.order & 0xFF_FFFF)
    }
}

const ABSENT: u32 = u32::MAX;
/// Children of a node of the heap: a flatter heap moves fewer entries, and with each its index.
const FAN: usize = 4;

/// The events to come: a heap with an index, so that moving or taking back an event costs as
/// little as adding one, and nothing is allocated once its tables have grown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EventQueue {
    /// The first entry is void while `void` is set.
    heap: Vec<Entry>,
    /// The first entry was taken out and nothing has taken its place yet: what is added next will,
    /// which costs one sift instead of two.
    void: bool,
    /// By kind and id: where the event is in `heap`, or [`ABSENT`].
    places: [Vec<u32>; KINDS],
}

impl EventQueue {
    /// How many events wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len() - usize::from(self.void)
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
        self.heap.first().map(|entry| entry.at)
    }

    /// When the event happens, if it waits.
    #[must_use]
    pub fn time_of(&self, event: Event) -> Option<Time> {
        let place = self.place(event);
        (place != ABSENT).then(|| self.heap[place as usize].at)
    }

    /// Adds the event, or moves it to another time.
    pub fn set(&mut self, at: Time, event: Event) {
        let place = self.place(event);
        if place == ABSENT && self.void {
            self.void = false;
            self.heap[0] = Entry::new(at, event);
            self.sink(0);
        } else if place == ABSENT {
            self.heap.push(Entry::new(at, event));
            let last = self.heap.len() - 1;
            self.note(last);
            self.rise(last);
        } else {
            self.fill();
            let place = self.place(event) as usize;
            self.heap[place].at = at;
            self.settle(place);
        }
    }

    /// Takes the event back, if it waits.
    pub fn cancel(&mut self, event: Event) {
        if self.place(event) != ABSENT {
            self.fill();
            self.remove(self.place(event) as usize);
        }
    }

    /// Takes out the event that happens next.
    pub fn pop(&mut self) -> Option<(Time, Event)> {
        self.fill();
        let first = *self.heap.first()?;
        let event = first.event();
        self.places[usize::from(event.kind())][event.id() as usize] = ABSENT;
        self.void = true;
        Some((first.at, event))
    }

    /// Lets the last entry take the place of a void first one.
    fn fill(&mut self) {
        if !core::mem::take(&mut self.void) {
            return;
        }
        self.heap.swap_remove(0);
        if !self.heap.is_empty() {
            self.sink(0);
        }
    }

    /// The events to come in the order in which they will happen; for display and tests.
    #[must_use]
    pub fn in_order(&self) -> Vec<(Time, Event)> {
        let mut entries = self.heap[usize::from(self.void)..].to_vec();
        entries.sort_unstable();
        entries.into_iter().map(|entry| (entry.at, entry.event())).collect()
    }

    fn place(&self, event: Event) -> u32 {
        let table = &self.places[usize::from(event.kind())];
        table.get(event.id() as usize).copied().unwrap_or(ABSENT)
    }

    fn remove(&mut self, place: usize) {
        let gone = self.heap.swap_remove(place);
        let event = gone.event();
        self.places[usize::from(event.kind())][event.id() as usize] = ABSENT;
        if place < self.heap.len() {
            self.note(place);
            self.settle(place);
        }
    }

    fn settle(&mut self, place: usize) {
        if place > 0 && self.heap[place] < self.heap[(place - 1) / FAN] {
            self.rise(place);
        } else {
            self.sink(place);
        }
    }

    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / FAN;
            if self.heap[parent] <= entry {
                break;
            }
            self.heap[place] = self.heap[parent];
            self.note(place);
            place = parent;
        }
        self.heap[place] = entry;
        self.note(place);
    }

    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let first = FAN * place + 1;
            let last = (first + FAN).min(self.heap.len());
            let Some(child) = (first..last).min_by_key(|&child| self.heap[child]) else { break };
            if entry <= self.heap[child] {
                break;
            }
            self.heap[place] = self.heap[child];
            self.note(place);
            place = child;
        }
        self.heap[place] = entry;
        self.note(place);
    }

    /// Writes down where the entry at `place` is.
    fn note(&mut self, place: usize) {
        let order = self.heap[place].order;
        let (kind, id) = ((order >> 24) as usize, (order & 0xFF_FFFF) as usize);
        let table = &mut self.places[kind];
        if table.len() <= id {
            table.resize(id + 1, ABSENT);
        }
        table[id] = place as u32;
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
        }
    }
}
