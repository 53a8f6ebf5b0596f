//! The shapes of what crosses to JavaScript, for TypeScript.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Something wrong with what came in. */
export interface Problem { place: string; sentence: string; line?: number; }
/** What `load` and `edit` throw. */
export interface Refusal extends Error { problems: Problem[]; }

/** Files that `export` makes. */
export type Format = "scenario" | "events.csv" | "events.jsonl" | "perfetto" | "metrics.csv" |
  "metrics.json";

/** An accepted scenario. Times in ns. */
export interface Loaded {
  title: string; about: string; text: string; packed: number[];
  machine: Machine; kernel: KernelView; rows: RowView[];
  groups: TaskGroup[]; task_rows: number[];
  seed: bigint; end: bigint; notes: string[];
}
export interface Machine {
  id: string; name: string; cpus: CpuPlace[]; llcs: number[][]; llc_names: string[];
  threads_per_core: number; nodes: number; packages: number; domains: DomainView[];
}
export interface CpuPlace {
  core: number; thread: number; cluster?: number; llc: number; node: number; package: number;
}
export interface DomainView { name: string; span: string; flags: string[]; }
export interface KernelView {
  preset: string; name: string; placement?: string; features: FeatureView[];
  base_slice: bigint; hz: number;
  latency_nice: string; custom_slice: boolean;
}
export interface FeatureView {
  name: string; on: boolean; default: boolean; exists: boolean; about: string; part: string;
}
/** A group of tasks as the scenario has it; rows and tasks name it by its place in the list. */
export interface TaskGroup { name: string; shares: number; latency_nice: number; notes: string[]; }
/** A group of tasks at a moment, and what it weighs on each CPU where it has some. */
export interface TaskGroupNow {
  shares: number; latency_nice: number; load: bigint;
  on: { cpu: number; weight: number; load: bigint; tasks: number }[];
}
export interface RowView {
  name: string; letter: string; hue: number; texture: number; count: number; nice: number;
  latency_nice: number; slice?: bigint; affinity: string; group?: number; cpu?: number; at: bigint;
  program: string;
  muted: boolean; colour?: number; numbered: boolean;
}
export interface Progress { steps: bigint; time: bigint; done: boolean; digest: bigint; }

/** The state after a step, and all that was decided in it. */
export interface Moment {
  step: bigint; steps: bigint; now: bigint; event: string; event_cpu?: number;
  cpus: CpuView[]; tasks: TaskView[]; rows: RowNow[]; groups: TaskGroupNow[];
  before: [number, CpuView][];
  decisions: Decision[];
  queue?: PickPicture;
}
export interface RowNow {
  nice: number; latency_nice: number; slice?: bigint; affinity: string; group?: number;
}
export interface CpuView {
  curr?: number; waiting: number[]; delayed: number; idle_since?: bigint; util: number; load: number;
  khz: number;
}
export type TaskState =
  "New" | "Running" | "Runnable" | "Sleeping" | "Delayed" | "Waking" | "Exited";
export interface TaskView {
  row: number; instance: number; state: TaskState; cpu: number; group?: number; nice: number;
  weight: number;
  slice: bigint; ran: bigint; vruntime: bigint; vlag: bigint; confined: boolean;
}
export type DecisionKind = "Pick" | "Placement" | "ForkPlacement" | "Preemption" | "Balance";
export interface Decision {
  cpu: number; kind: DecisionKind; task?: number; heading: string; sentence: string; cause: string;
  checks: Check[]; picture: Picture;
}
export type Mark = "Plain" | "Busy" | "Idle" | "Chosen" | "Kept" | "No" | "Yes";
export interface Check {
  title: string; result: string; sentence: string; kernel: string; mark: Mark; probes: Probe[];
  tasks: number[]; skipped: boolean; limit?: bigint;
}
export interface Probe { cpu: number; idle: boolean; code: string; }
export type Picture =
  "None" | { Pick: PickPicture } | { Place: PlacePicture } | { Groups: GroupsPicture };
/** vruntimes and deadlines of the rows are relative to V, in ns. */
export interface PickPicture {
  cpu: number; title: string; group?: number; v: bigint; min_vruntime: bigint; load: bigint; curr?: number; rows: PickRow[];
  tree: TreeNode[]; tree_key: string; tree_kept: string; walk: WalkStep[]; chosen?: number;
  decided: boolean; reason: string;
  /** The second tree of latency-nice for CFS. */
  second: TreeNode[];
  /** The check from which on this is the queue; `later` are the queues after departures. */
  since: number; later: PickPicture[];
  /** The level below, where there are groups of tasks. */
  inside: PickPicture[];
}
export interface PickRow {
  task: number; group?: number; weight: number; vruntime: bigint; deadline: bigint; lag: bigint; slice: bigint;
  vslice: bigint; eligible: boolean; delayed: boolean; protected: boolean; curr: boolean;
  gone: boolean; offset: bigint;
}
export interface TreeNode {
  task: number; depth: number; parent?: number; red: boolean; kept: bigint;
}
export interface WalkStep { task: number; turn: string; why: string; }
export interface PlacePicture {
  wakee: number; waker?: number; this_cpu: number; prev_cpu: number; target: number; recent?: number;
  chosen: number; branch: string; scan_exit: string; llc: number; budget?: number;
  idle_in_llc: number; idle_elsewhere: number; not_reached: number[]; forbidden: number[];
  idle: boolean[];
}
export interface GroupsPicture {
  levels: { domain: string; groups: GroupView[] }[]; this_cpu: number; chosen?: number;
  moved: number[];
}
export interface GroupView {
  span: string; kind: string; nr_running: number; idle_cpus: number; load: bigint; util: bigint;
  local: boolean; chosen: boolean;
}

/** A second run beside the first. */
export interface Difference {
  place?: { at: bigint; step: bigint; cpu: number }; sentence: string; why: [string, string][];
}
export interface Beside {
  with: string; name: string; kernel: KernelView; notes: string[]; progress: Progress;
}
export interface Metrics {
  progress: Progress; upto: bigint; rows: RowMetrics[]; tasks: [number, RowMetrics][];
  groups: RowMetrics[];
  cpus: CpuMetrics[]; top_khz: number; clocks_vary: boolean; utilisation: number;
  idle_while_overloaded: bigint; cpus_used: number;
}
/** Times in ns; `work` is ns at the highest clock; `residency` is busy time by tenths of it. */
export interface CpuMetrics { busy: bigint; work: bigint; switches: bigint; residency: bigint[]; }
/** Latencies as [parts of 10 000, ns]; the last row, without `row`, is all together. */
export interface RowMetrics {
  row?: number; ran: bigint; work: bigint; cpus: number; waited: bigint; wakeups: bigint;
  latency: [number, bigint][]; samples: bigint[]; voluntary: bigint; involuntary: bigint;
  migrations: bigint[]; lag: [bigint, bigint, bigint][];
}

export interface Window {
  from: bigint; to: bigint; lanes: Lane[]; heat: number[][]; bin: bigint; arrows: Arrow[];
  decisions: { at: bigint; step: bigint; kind: DecisionKind; cpu: number }[]; overview: number[];
  tasks: [number, number, number][]; top_khz: number; progress: Progress;
}
export interface Lane {
  cpu: number; bars: Bar[]; waits: [number, bigint, bigint][]; clock: [bigint, number][];
}
export interface Bar {
  task: number; from: bigint; to: bigint; merged: boolean; preempted: boolean; khz: number;
}
export interface Arrow {
  kind: "Wake" | "Fork" | "Migrate"; task: number; from_cpu: number; to_cpu: number; at: bigint;
  until: bigint; step: bigint;
}

/** Whom an edit is about: a row of the task list, or one task. */
export type Who = { Row: number } | { Task: number };
/** What `edit` can change. */
export type Edit =
  | { Nice: [Who, number] } | { LatencyNice: [Who, number] }
  | { Slice: [Who, bigint | number | undefined] } | { Affinity: [Who, string] }
  | { Move: [Who, number] } | { Add: [string, number | undefined] } | { Duplicate: number }
  | { Remove: number } | { Program: [number, string] } | { Rename: [number, string] }
  | { Letter: [number, string | undefined] } | { Colour: [number, number | undefined] }
  | { Muted: [number, boolean | undefined] }
  | { Machine: string } | { Kernel: string } | { Placement: string | undefined }
  | { Feature: [string, boolean] }
  | { BaseSlice: bigint | number } | { Hz: number } | { Seed: bigint | number }
  | { End: bigint | number };
/** What an edit did. */
export interface Edited { loaded: Loaded; done: string; forked: boolean; }
"#;
