// The package as a user of Node sees it: run by `cargo xtask npm`.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

const { Session, kernels, lesson, lessons, machines } = createRequire(import.meta.url)(
  "../pkg/node/schedscope.js",
);

const SCENARIO = `schedscope = 1
title = "Two"
machine = "cpu4"
kernel = "6.12"
end = "50ms"
[[task]]
name = "hog"
count = 6
program = "loop\\nrun 10ms\\nend"
[[task]]
name = "editor"
nice = -5
program = "loop\\nrun 0.3ms\\nsleep 1ms..2ms\\nend"
`;

test("loads, runs, steps, seeks and explains", () => {
  const session = new Session();
  const loaded = session.load(SCENARIO);
  assert.equal(loaded.machine.cpus.length, 4);
  assert.equal(loaded.end, 50_000_000n);
  assert.deepEqual(loaded.rows.map((row) => row.name), ["hog", "editor"]);

  const progress = session.run(40);
  assert.equal(progress.steps, 40n);
  assert.equal(typeof progress.digest, "bigint");

  const first = session.step();
  assert.equal(first.step, 1n);
  assert.match(first.event, /starts on CPU/);
  assert.equal(session.step().step, 2n);

  const moment = session.seek({ time: 20_000_000n });
  assert.ok(moment.now <= 20_000_000n);
  const same = session.seek(moment.step);
  assert.deepEqual(same, moment);

  let picks = 0;
  for (let step = 1; step <= 60; step++) {
    for (const decision of session.explain(step)) {
      assert.ok(decision.sentence.endsWith("."), decision.sentence);
      assert.ok(decision.checks.length > 0);
      if (decision.kind === "Pick") {
        picks++;
        assert.equal(typeof decision.picture.Pick.v, "bigint");
      }
    }
  }
  assert.ok(picks > 5);
  assert.equal(session.step().step, moment.step + 1n, "explaining does not move");
});

test("runs the same twice, and differently after an edit", () => {
  const end = (edit) => {
    const session = new Session();
    session.load(SCENARIO);
    session.run(200);
    if (edit) {
      const { done, forked } = session.edit(100, { Nice: [{ Task: 0 }, 10] });
      assert.ok(forked);
      assert.match(done, /nice of A1 10/);
    }
    return session.run(100_000);
  };
  assert.deepEqual(end(false), end(false));
  assert.notEqual(end(false).digest, end(true).digest);
});

test("measures and exports", () => {
  const session = new Session();
  session.load(SCENARIO);
  assert.ok(session.run(1_000_000).done);
  const metrics = session.metrics();
  const all = metrics.rows.at(-1);
  assert.equal(all.row, undefined);
  assert.ok(all.wakeups > 10n);
  assert.ok(metrics.utilisation > 9000);
  const window = session.window(0, 50_000_000n, 500, [0, 1, 2, 3]);
  const ran = window.lanes.flatMap((lane) => lane.bars).reduce((sum, b) => sum + b.to - b.from, 0n);
  assert.ok(ran <= 4n * 50_000_000n);
  assert.match(session.export("events.csv"), /^step,time_ns,kind/);
  assert.ok(JSON.parse(session.export("perfetto")).traceEvents.length > 100);
  assert.equal(session.taskName(6), "B");
});

test("refuses with all problems", () => {
  const session = new Session();
  assert.throws(() => session.run(1), /No scenario is loaded/);
  try {
    session.load("schedscope = 1\nmachine = 5\nnope = 1\n");
    assert.fail("it was accepted");
  } catch (error) {
    assert.ok(error.problems.length >= 2, error.message);
    assert.equal(typeof error.problems[0].line, "number");
  }
  assert.throws(() => session.seek("x"), /whole number/);
});

test("lists what can be named", () => {
  assert.ok(machines().includes("zen3-nps4"));
  assert.ok(kernels().includes("6.12"));
  for (const id of lessons()) {
    new Session().load(lesson(id));
  }
  assert.equal(lesson("no such"), undefined);
});
