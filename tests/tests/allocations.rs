//! The fair class allocates nothing: not on a wakeup, a block, a tick or a pick.
//!
//! A counting allocator, hence the only unsafe code of the project; each test runs in a thread of
//! its own and counts its own.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use schedscope_sim::fair::reason::{Dequeue, Dequeued, Enqueue, Wake};
use schedscope_sim::fair::{Entities, Entity, FairCx};
use schedscope_sim::kernel::{FairGeneration, Kernel, Preset};
use schedscope_sim::run_queue::RunQueue;
use schedscope_sim::units::{Nice, TaskId, Time};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: hands everything to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are ours.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are ours.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A busy minute on one CPU: 40 tasks of all weights run, are ticked, block, and wake in turn.
fn live(kernel: &Kernel, rq: &mut RunQueue, entities: &mut Entities, completed: &mut Vec<TaskId>) {
    for step in 0..5_000u64 {
        let cx = FairCx { kernel, now: Time(1_000_000_000 + step * 777_777) };
        rq.task_tick(entities, cx);
        let sleeper = TaskId((step * 7 % 40) as u32);
        let (on_rq, delayed) = (entities[sleeper].on_rq, entities[sleeper].delayed);
        if delayed {
            rq.requeue_delayed(entities, cx, sleeper);
        } else if !on_rq {
            rq.enqueue_task(entities, cx, sleeper, Enqueue::Wakeup);
        }
        rq.wakeup_preempt(entities, cx, sleeper, Wake::Wakeup);
        let blocks = step % 3 == 0;
        if let (true, Some(curr)) = (blocks, rq.curr) {
            let how = rq.dequeue_task(entities, cx, curr, Dequeue::Sleep);
            assert!(how == Dequeued::Done || kernel.fair >= FairGeneration::Eevdf6_12);
        }
        if blocks || rq.need_resched.is_some() {
            completed.clear();
            rq.pick(entities, cx, completed);
        }
    }
}

#[test]
fn nothing_is_allocated() {
    for fair in FairGeneration::ALL {
        let mut kernel = Preset::V6_12.kernel(8);
        kernel.fair = fair;
        let (mut rq, mut entities) = (RunQueue::new(), Entities::new());
        let mut completed = Vec::with_capacity(40);
        for i in 0..40 {
            let nice = Nice::new(i - 20).expect("a nice value");
            let task = entities.push(Entity::new(nice));
            let cx = FairCx { kernel: &kernel, now: Time(1_000_000_000) };
            rq.task_fork(&mut entities, cx, task);
            rq.enqueue_task(&mut entities, cx, task, Enqueue::Fork);
        }
        let before = ALLOCATIONS.with(Cell::get);
        live(&kernel, &mut rq, &mut entities, &mut completed);
        assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0, "{fair:?}");
    }
    let before = ALLOCATIONS.with(Cell::get);
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 1, "the allocator does count");
}
