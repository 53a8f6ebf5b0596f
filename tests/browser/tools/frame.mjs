// What a step costs the page: script, style and layout per step, by Chromium's own counters.
//   node tests/browser/tools/frame.mjs [FOLDER | ADDRESS] [--at QUERY] [--key KEY] [--by UNIT] [--steps N] [--profile]
// The defaults are the goal's: the release page of dist/, 256 CPUs, 60 × ArrowRight by event at 1440 × 900.
// --profile lists where the script's time goes, by function (build with names kept to read them).
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "../node_modules/playwright/index.mjs";
import { DIST, serve } from "../static-server.mjs";

/** Script per step that is allowed, ms. */
export const GOAL = 8;

const metrics = async (cdp) => {
  const { metrics: list } = await cdp.send("Performance.getMetrics");
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
};

/** Steps `steps` times through the page at `url`; gives ms per step and the profile, if asked for. */
export async function measure(page, { steps = 60, key = "ArrowRight", by = "event", profile = false } = {}) {
  await page.waitForFunction(() => document.documentElement.dataset.ready === "1");
  // The run is simulated ahead meanwhile: its pieces shall not be counted as steps.
  await page.waitForFunction(() => !/\+$/.test(document.querySelector("#event")?.textContent ?? ""), null, {
    timeout: 60_000,
  });
  await page.waitForTimeout(1000);
  await page.getByRole("group", { name: "Step by" }).getByRole("button", { name: by, exact: true }).click();
  const cdp = await page.context().newCDPSession(page);
  // Time of the thread, not of the wall: other programs disturb it less.
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const press = async (times) => {
    for (let i = 0; i < times; i += 1) {
      await page.keyboard.press(key);
      await page.waitForTimeout(120);
    }
  };
  await press(10); // warm
  if (profile) {
    await cdp.send("Profiler.enable");
    await cdp.send("Profiler.setSamplingInterval", { interval: 200 });
    await cdp.send("Profiler.start");
  }
  const before = await metrics(cdp);
  await press(steps);
  const after = await metrics(cdp);
  const per = (name) => ((after[name] - before[name]) * 1000) / steps;
  const found = {
    script: per("ScriptDuration"),
    style: per("RecalcStyleDuration"),
    layout: per("LayoutDuration"),
    task: per("TaskDuration"),
    nodes: after.Nodes,
    event: await page.locator("#event").textContent(),
  };
  if (profile) found.profile = (await cdp.send("Profiler.stop")).profile;
  return found;
}

/** Own and total time by function, ms, longest own first. */
function byFunction({ nodes, samples, timeDeltas }) {
  const node = new Map(nodes.map((n) => [n.id, n]));
  const parent = new Map(nodes.flatMap((n) => (n.children ?? []).map((child) => [child, n.id])));
  const rows = new Map();
  const row = (name) => rows.get(name) ?? rows.set(name, { own: 0, total: 0 }).get(name);
  samples.forEach((id, i) => {
    const ms = timeDeltas[i] / 1000;
    row(node.get(id).callFrame.functionName).own += ms;
    const seen = new Set();
    for (let at = id; at !== undefined; at = parent.get(at)) {
      const name = node.get(at).callFrame.functionName;
      if (!seen.has(name)) row(name).total += ms;
      seen.add(name);
    }
  });
  return [...rows].sort(([, a], [, b]) => b.own - a.own);
}

async function main(args) {
  const option = (name, otherwise) => {
    const at = args.indexOf(name);
    return at < 0 ? otherwise : args.splice(at, 2)[1];
  };
  const flag = (name) => args.includes(name) && !!args.splice(args.indexOf(name), 1);
  const at = option("--at", "?lab=mysql-256");
  const key = option("--key", "ArrowRight");
  const steps = Number(option("--steps", 60));
  const by = option("--by", "event");
  const sort = option("--sort", "own");
  const profile = flag("--profile");
  const where = args[0] ?? DIST;
  const server = existsSync(where) ? await serve(where) : { url: where, close: () => {} };
  const browser = await chromium.launch({
    executablePath: process.env.CHROME || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}${at}`);
    const found = await measure(page, { steps, key, by, profile });
    const ms = (x) => `${x.toFixed(2)} ms`;
    console.log(
      `${at}, ${steps} × ${key} by ${by}, ms a step: script ${ms(found.script)} (goal ${GOAL}), style ` +
        `${ms(found.style)}, layout ${ms(found.layout)}, all ${ms(found.task)}; ` +
        `${found.nodes} nodes, ${found.event}`,
    );
    if (profile) {
      const rows = byFunction(found.profile);
      rows.sort(([, a], [, b]) => b[sort] - a[sort]);
      for (const [name, { own, total }] of rows.slice(0, 70)) {
        console.log(`${(own / steps).toFixed(3).padStart(9)} ${(total / steps).toFixed(3).padStart(9)}  ${name}`);
      }
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
