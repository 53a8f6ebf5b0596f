//! Load and utilisation averages: when they are brought up to date and moved (R7.1.10).

use super::Engine;
use crate::fair::reason::Enqueue;
use crate::units::{CpuId, TaskId};

/// placeholder
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TaskAvg;
/// placeholder
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QueueAvg;

impl Engine<'_> {
    pub(super) fn update_averages(&mut self, _cpu: CpuId, _task: Option<TaskId>) {}
    pub(super) fn attach_averages(&mut self, _cpu: CpuId, _task: TaskId, _how: Enqueue) {}
    pub(super) fn detach_averages(&mut self, _cpu: CpuId, _task: TaskId) {}
    pub(super) fn init_averages(&mut self, _cpu: CpuId, _task: TaskId) {}
    pub(super) fn finish_averages_of_delayed(&mut self, _cpu: CpuId, _task: TaskId) {}
    pub(super) fn add_util_est(&mut self, _cpu: CpuId, _task: TaskId) {}
    pub(super) fn forget_util_est(&mut self, _cpu: CpuId, _task: TaskId, _sleeps: bool) {}
}
