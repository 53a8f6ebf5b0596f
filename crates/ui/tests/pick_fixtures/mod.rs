//! Queues for the tests and the example: built in code, with V, tree and walk worked out by the
//! rules of 6.12, so that the pictures are true.
#![allow(dead_code, unreachable_pub)]

pub mod run;

use schedscope_session::update::*;

/// One ms in ns.
pub const MS: i64 = 1_000_000;
const LETTERS: &str = "ABCDEFGHIJKLMNPQRSTUWXYZ";

/// Everything a picture of a queue needs.
pub struct Fixture {
    pub loaded: Loaded,
    pub moment: Moment,
    pub picture: PickPicture,
    pub checks: Vec<Check>,
}

/// A task of a fixture: name, nice weight, vruntime and deadline anywhere on one axis, ns.
#[derive(Clone, Copy)]
pub struct Entity {
    pub row: u16,
    pub weight: u32,
    pub vruntime: i64,
    pub deadline: i64,
}

pub fn entity(row: u16, weight: u32, vruntime: i64, deadline: i64) -> Entity {
    Entity { row, weight, vruntime, deadline }
}

/// A row of the task list.
pub fn row_view(index: usize, name: &str) -> RowView {
    let letters: Vec<char> = LETTERS.chars().collect();
    let letter = match index {
        0..24 => letters[index].to_string(),
        _ => format!("{}{}", letters[index / 24 - 1], letters[index % 24]),
    };
    RowView {
        name: name.to_string(),
        letter,
        hue: (index % 8) as u8,
        texture: (index / 8 % 3) as u8,
        count: 1,
        muted: index >= 24,
        ..RowView::default()
    }
}

pub fn loaded(rows: Vec<RowView>) -> Loaded {
    Loaded {
        title: "Fixture".into(),
        about: String::new(),
        text: String::new(),
        packed: Vec::new(),
        machine: Machine::default(),
        kernel: KernelView::default(),
        groups: Vec::new(),
        task_rows: (0..rows.len() as u16).collect(),
        rows,
        seed: 1,
        end: 100 * MS as u64,
        notes: Vec::new(),
    }
}

pub fn moment(rows: usize) -> Moment {
    let task = |row| TaskView { row, instance: 1, ..TaskView::default() };
    Moment { tasks: (0..rows as u16).map(task).collect(), ..Moment::default() }
}

const NAMES: [&str; 24] = [
    "audio",
    "browser",
    "compositor",
    "database",
    "encoder",
    "find",
    "gcc",
    "hash",
    "indexer",
    "make",
    "kworker",
    "linker",
    "mixer",
    "network",
    "producer",
    "consumer",
    "render",
    "shell",
    "terminal",
    "updater",
    "watchdog",
    "xorg",
    "yarn",
    "zip",
];

/// A queue with these tasks; `curr` is the place in `entities` of the running one.
pub fn queue(entities: &[Entity], curr: Option<usize>) -> Fixture {
    let rows = entities.iter().map(|e| usize::from(e.row) + 1).max().unwrap_or(0).max(8);
    let names = (0..rows).map(|i| row_view(i, NAMES.get(i).copied().unwrap_or("worker")));
    let loaded = loaded(names.collect());
    let moment = moment(rows);
    let load: i128 = entities.iter().map(|e| i128::from(e.weight)).sum();
    let sum: i128 = entities.iter().map(|e| i128::from(e.weight) * i128::from(e.vruntime)).sum();
    let v = if load == 0 { 0 } else { sum.div_euclid(load) as i64 };
    let mut picks: Vec<PickRow> = entities
        .iter()
        .enumerate()
        .map(|(i, e)| PickRow {
            group: None,
            task: u32::from(e.row),
            weight: e.weight,
            vruntime: e.vruntime - v,
            deadline: e.deadline - v,
            lag: v - e.vruntime,
            slice: 3_000_000,
            vslice: (e.deadline - e.vruntime) as u64,
            eligible: e.vruntime <= v,
            delayed: false,
            protected: false,
            curr: curr == Some(i),
            gone: false,
            offset: 0,
        })
        .collect();
    picks.sort_by_key(|row| row.deadline);
    let queued: Vec<PickRow> = picks.iter().copied().filter(|row| !row.curr).collect();
    let tree = balanced(&queued);
    let mut picture = PickPicture {
        cpu: 2,
        v,
        min_vruntime: v,
        load: load as u64,
        curr: curr.map(|i| u32::from(entities[i].row)),
        rows: picks,
        tree,
        tree_key: "deadline".into(),
        tree_kept: "min vruntime".into(),
        walk: Vec::new(),
        chosen: None,
        decided: true,
        reason: "earliest eligible deadline".into(),
        ..PickPicture::default()
    };
    let checks = decide(&mut picture);
    Fixture { loaded, moment, picture, checks }
}

/// A balanced tree over rows in order, with the kept minima.
pub fn balanced(rows: &[PickRow]) -> Vec<TreeNode> {
    let mut nodes: Vec<TreeNode> = rows
        .iter()
        .map(|row| TreeNode { task: row.task, depth: 0, parent: None, red: false, kept: 0 })
        .collect();
    let height = usize::BITS - rows.len().leading_zeros();
    fn build(
        nodes: &mut [TreeNode],
        rows: &[PickRow],
        (from, to): (usize, usize),
        parent: Option<u16>,
        depth: u16,
        height: u32,
    ) -> i64 {
        if from >= to {
            return i64::MAX;
        }
        let mid = (from + to) / 2;
        nodes[mid].depth = depth;
        nodes[mid].parent = parent;
        // The last, incomplete level is red: all black heights are equal.
        nodes[mid].red = u32::from(depth) + 1 == height && depth > 0;
        let here = Some(mid as u16);
        let left = build(nodes, rows, (from, mid), here, depth + 1, height);
        let right = build(nodes, rows, (mid + 1, to), here, depth + 1, height);
        nodes[mid].kept = rows[mid].vruntime.min(left).min(right);
        nodes[mid].kept
    }
    build(&mut nodes, rows, (0, rows.len()), None, 0, height);
    nodes
}

fn check(title: &str, result: &str, mark: Mark, tasks: Vec<u32>) -> Check {
    Check {
        title: title.into(),
        result: result.into(),
        sentence: format!("{title} {result}"),
        kernel: String::new(),
        mark,
        probes: Vec::new(),
        tasks,
        skipped: false,
        limit: None,
    }
}

/// Picks by the rules of 6.12 (no parity, no buddies): walk, chosen task and checks.
pub fn decide(picture: &mut PickPicture) -> Vec<Check> {
    let rows = picture.rows.clone();
    let row = |task: u32| *rows.iter().find(|row| row.task == task).unwrap();
    let mut checks = vec![check("V", "", Mark::Plain, rows.iter().map(|row| row.task).collect())];
    let curr = rows.iter().find(|row| row.curr);
    if let Some(curr) = curr {
        let mark = if curr.eligible { Mark::Yes } else { Mark::No };
        checks.push(check("curr", "", mark, vec![curr.task]));
    }
    let tree = &picture.tree;
    let child = |parent: usize, left: bool| {
        (0..tree.len()).find(|i| tree[*i].parent == Some(parent as u16) && (*i < parent) == left)
    };
    let mut walk = Vec::new();
    let mut found = None;
    if let Some(first) = tree.first() {
        let eligible = row(first.task).eligible;
        let mark = if eligible { Mark::Yes } else { Mark::No };
        checks.push(check("leftmost", "", mark, vec![first.task]));
        if eligible {
            found = Some(first.task);
            walk.push(step(first.task, "take", "leftmost is eligible"));
        } else {
            walk.push(step(first.task, "search", "leftmost is not eligible"));
        }
    }
    let mut at = tree.iter().position(|node| node.parent.is_none());
    while let (Some(node), None) = (at, found) {
        let task = tree[node].task;
        let left = child(node, true);
        if let Some(left) = left.filter(|left| tree[*left].kept <= 0) {
            walk.push(step(task, "left", "an eligible task is in there"));
            checks.push(check("tree", "left", Mark::Plain, vec![task]));
            at = Some(left);
        } else if row(task).eligible {
            walk.push(step(task, "take", "it is eligible"));
            checks.push(check("tree", "eligible", Mark::Yes, vec![task]));
            found = Some(task);
        } else {
            walk.push(step(task, "right", "not eligible"));
            checks.push(check("tree", "right", Mark::No, vec![task]));
            at = child(node, false);
        }
    }
    let curr = curr.filter(|row| row.eligible);
    let best = match (found.map(row), curr) {
        (Some(found), Some(curr)) if curr.deadline < found.deadline => Some(curr.task),
        (Some(found), _) => Some(found.task),
        (None, curr) => curr.map(|row| row.task),
    };
    checks.push(check("pick", "", Mark::Chosen, best.into_iter().collect()));
    picture.walk = walk;
    picture.chosen = best;
    checks
}

fn step(task: u32, turn: &str, why: &str) -> WalkStep {
    WalkStep { task, turn: turn.into(), why: why.into() }
}

/// The seven tasks of the design board.
pub fn board() -> Fixture {
    let us = |us: i64| us * 1000;
    let mut fixture = queue(
        &[
            entity(2, 1586, us(310), us(1_100)),
            entity(6, 1024, us(920), us(2_000)),
            entity(3, 1024, us(-220), us(2_780)),
            entity(1, 1024, us(770), us(3_520)),
            entity(7, 1024, us(-1_990), us(7_000)),
            entity(4, 335, us(-1_260), us(7_910)),
            entity(5, 110, us(4_270), us(28_590)),
        ],
        Some(1),
    );
    // The board's own tree: E above B and F, B above C and H, D right of C.
    let order = [2u32, 3, 1, 7, 4, 5];
    let parents = [Some(2u16), Some(0), Some(4), Some(2), None, Some(4)];
    let depths = [2, 3, 1, 2, 0, 1];
    let red = [false, true, true, false, false, false];
    let v = |task: u32| fixture.picture.rows.iter().find(|r| r.task == task).unwrap().vruntime;
    let kept = [v(3), v(3), v(7), v(7), v(7), v(5)];
    fixture.picture.tree = (0..6)
        .map(|i| TreeNode {
            task: order[i],
            depth: depths[i],
            parent: parents[i],
            red: red[i],
            kept: kept[i],
        })
        .collect();
    fixture.checks = decide(&mut fixture.picture);
    fixture
}

/// Two tasks of equal weight.
pub fn two() -> Fixture {
    queue(&[entity(0, 1024, 0, 3 * MS), entity(1, 1024, MS, 4 * MS)], Some(1))
}

/// The example of the LWN article: A ran 30 ms of the 10 ms that each was due.
pub fn lwn() -> Fixture {
    let all = [
        entity(0, 1024, 30 * MS, 60 * MS),
        entity(1, 1024, 0, 30 * MS),
        entity(2, 1024, 0, 30 * MS + 1),
    ];
    queue(&all, Some(0))
}

/// The board's tasks under CFS: sorted by vruntime, nothing kept in the nodes.
pub fn cfs() -> Fixture {
    let mut fixture = board();
    let picture = &mut fixture.picture;
    picture.tree_key = "vruntime".into();
    picture.tree_kept = String::new();
    let first = picture.rows.iter().map(|row| row.vruntime).min().unwrap();
    picture.min_vruntime = picture.v + first;
    picture.rows.sort_by_key(|row| row.vruntime);
    let queued: Vec<PickRow> = picture.rows.iter().copied().filter(|row| !row.curr).collect();
    picture.tree = balanced(&queued);
    picture.walk = vec![step(queued[0].task, "take", "smallest vruntime")];
    picture.chosen = Some(queued[0].task);
    picture.reason = "smallest vruntime".into();
    fixture.checks = vec![
        check("leftmost", "", Mark::Plain, vec![queued[0].task]),
        check("pick", "", Mark::Chosen, vec![queued[0].task]),
    ];
    fixture
}

/// A task alone.
pub fn sole() -> Fixture {
    queue(&[entity(3, 1024, 17, 3 * MS)], Some(0))
}

/// Nothing queued.
pub fn nobody() -> Fixture {
    queue(&[], None)
}

/// A generator of numbers for random queues.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A number from −n to n.
    pub fn around(&mut self, n: i64) -> i64 {
        self.below(2 * n as u64 + 1) as i64 - n
    }
}

/// A queue of `n` tasks from a seed, some heavy, some light, some asleep.
pub fn random(seed: u64, n: usize) -> Fixture {
    const WEIGHTS: [u32; 9] = [88761, 9548, 3121, 1586, 1024, 1024, 335, 110, 15];
    let mut dice = Dice(seed);
    let mut all = Vec::new();
    for i in 0..n {
        let weight = WEIGHTS[dice.below(9) as usize];
        let v = dice.around(3 * MS);
        let slice = [100_000, 700_000, 3_000_000, 12_000_000][dice.below(4) as usize];
        all.push(entity(i as u16, weight, v, v + slice * 1024 / i64::from(weight) + 1));
    }
    let curr = (dice.below(3) > 0 && n > 0).then(|| dice.below(n as u64) as usize);
    let mut fixture = queue(&all, curr);
    for row in &mut fixture.picture.rows {
        row.delayed = dice.below(9) == 0;
        row.protected = row.curr && dice.below(2) == 0;
    }
    fixture
}

/// Forty tasks of one kind, as a fork burst makes them.
pub fn forty() -> Fixture {
    let mut dice = Dice(40);
    let all: Vec<Entity> = (0..40)
        .map(|i| {
            let v = dice.around(2 * MS);
            entity(i, 1024, v, v + 3 * MS - dice.below(2_900_000) as i64)
        })
        .collect();
    queue(&all, Some(7))
}
