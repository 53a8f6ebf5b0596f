//! A stage for the worked examples: one queue, its tasks, and a clock that tests move.

use super::reason::{Dequeue, Dequeued, Enqueue, Pick, Preempt, Wake};
use super::{Entities, Entity, FairCx};
use crate::kernel::{Kernel, Preset};
use crate::run_queue::RunQueue;
use crate::units::{Nice, TaskId, Time, Vtime};

/// One millisecond of virtual or real time, ns.
pub(crate) const MS: i64 = 1_000_000;

/// One queue and its tasks.
pub(crate) struct Stage {
    pub(crate) kernel: Kernel,
    pub(crate) now: Time,
    pub(crate) rq: RunQueue,
    pub(crate) entities: Entities,
    pub(crate) completed: Vec<TaskId>,
}

/// The nice level of that value.
pub(crate) fn nice(value: i8) -> Nice {
    Nice::new(value).expect("a nice value")
}

impl Stage {
    /// An empty queue of a kernel on a machine of `cpus` CPUs, one second after boot.
    pub(crate) fn new(preset: Preset, cpus: usize) -> Stage {
        Stage {
            kernel: preset.kernel(cpus),
            now: Time(1_000_000_000),
            rq: RunQueue::new(),
            entities: Entities::new(),
            completed: Vec::new(),
        }
    }

    /// A task that is on no queue.
    pub(crate) fn task(&mut self, level: i8) -> TaskId {
        self.entities.push(Entity::new(nice(level)))
    }

    /// A task queued at this vruntime: placed there by CFS's rules for moves; with EEVDF, where a
    /// task without lag is placed.
    pub(crate) fn queued(&mut self, level: i8, vruntime: i64) -> TaskId {
        let task = self.task(level);
        self.entities[task].vruntime = Vtime(vruntime as u64);
        self.enqueue(task, Enqueue::Move);
        task
    }

    /// The running task forks a child, which is put onto the same queue.
    pub(crate) fn fork(&mut self, level: i8) -> TaskId {
        let task = self.task(level);
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        self.rq.task_fork(&mut self.entities, cx, task);
        self.enqueue(task, Enqueue::Fork);
        task
    }

    pub(crate) fn enqueue(&mut self, task: TaskId, how: Enqueue) {
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        self.rq.enqueue_task(&mut self.entities, cx, task, how);
    }

    /// A sleeper wakes here; what the preemption test says.
    pub(crate) fn wake(&mut self, task: TaskId) -> Preempt {
        if self.entities[task].delayed {
            let cx = FairCx { kernel: &self.kernel, now: self.now };
            self.rq.requeue_delayed(&mut self.entities, cx, task);
        } else {
            self.enqueue(task, Enqueue::Wakeup);
        }
        self.test(task)
    }

    /// The preemption test for a queued task.
    pub(crate) fn test(&mut self, task: TaskId) -> Preempt {
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        self.rq.wakeup_preempt(&mut self.entities, cx, task, Wake::Wakeup)
    }

    /// The running task goes to sleep, and the next is picked.
    pub(crate) fn block(&mut self) -> Dequeued {
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        let curr = self.rq.curr.expect("a task runs");
        let how = self.rq.dequeue_task(&mut self.entities, cx, curr, Dequeue::Sleep);
        self.pick();
        how
    }

    pub(crate) fn pick(&mut self) -> Pick {
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        self.completed.clear();
        self.rq.pick(&mut self.entities, cx, &mut self.completed)
    }

    /// Time passes, and the running task is charged.
    pub(crate) fn run(&mut self, ns: u64) {
        self.now = Time(self.now.0 + ns);
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        self.rq.update_curr(&mut self.entities, cx);
    }

    /// A tick after the length of one; a pick, if it asks for one.
    pub(crate) fn tick(&mut self) {
        self.now = Time(self.now.0 + self.kernel.tick().0);
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        self.rq.task_tick(&mut self.entities, cx);
        if self.rq.need_resched.is_some() {
            self.pick();
        }
    }

    /// The lengths of the first turns, in ticks: how long each task runs until another does.
    pub(crate) fn turns(&mut self, count: usize) -> Vec<u32> {
        let mut turns = Vec::new();
        let (mut runs, mut ticks) = (self.pick().next, 0);
        while turns.len() < count {
            self.tick();
            ticks += 1;
            if self.rq.curr != runs {
                turns.push(ticks);
                (runs, ticks) = (self.rq.curr, 0);
            }
        }
        turns
    }

    pub(crate) fn vruntime(&self, task: TaskId) -> i64 {
        self.entities[task].vruntime.signed()
    }

    pub(crate) fn deadline(&self, task: TaskId) -> i64 {
        self.entities[task].deadline.signed()
    }
}
