// The page keeps itself in the browser: it opens without a network, and a new build is seen at once.
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, open, test as base } from "./page.mjs";
import { DIST, serve } from "./static-server.mjs";

const LESSON = "lessons/short-slice-preempts.md";
const SECOND = "2222222222222222";
const THIRD = "3333333333333333";

/** A copy of the page, in a folder of a host that can be stopped. */
const test = base.extend({
  host: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "schedscope-"));
    await cp(DIST, folder, { recursive: true });
    const server = await serve(folder, 0, "/some/where/");
    let running = true;
    const stop = async () => running && ((running = false), await server.close());
    await use({ folder, url: server.url, stop });
    await stop();
    await rm(folder, { recursive: true });
  },
  baseURL: async ({ host }, use) => use(host.url),
});

test.use({ serviceWorkers: "allow", allowed: [/ERR_CONNECTION_REFUSED|ERR_FAILED/] });

const kept = (page) => expect(page.locator("html")).toHaveAttribute("data-offline", "1");
const text = (page, build) =>
  page.evaluate(([at, b]) => fetch(`${at}?build=${b}`).then((r) => r.text()), [LESSON, build]);
const build = (page) =>
  page.evaluate(() => new URL(document.querySelector("script[src*='boot.js']").src).searchParams.get("build"));

/** Puts another build there: another name, and a lesson that differs. */
async function deploy({ folder }, next) {
  const was = (await readFile(join(folder, "sw.js"), "utf8")).match(/BUILD = "([0-9a-f]{16})"/)[1];
  const lesson = `${await readFile(join(folder, LESSON), "utf8")}\nOf build ${next}.\n`;
  await writeFile(join(folder, LESSON), lesson);
  const integrity = `sha256-${createHash("sha256").update(lesson).digest("base64")}`;
  for (const name of ["index.html", "sw.js"]) {
    const old = await readFile(join(folder, name), "utf8");
    const entry = new RegExp(`(\\["${LESSON}",")[^"]*`);
    await writeFile(join(folder, name), old.replaceAll(was, next).replace(entry, `$1${integrity}`));
  }
  return was;
}

test("opens without a network, any scene and every lesson", async ({ page, host }) => {
  await open(page);
  await kept(page);
  await host.stop();
  await open(page, "?lab=mysql-256");
  await expect(page.getByRole("main")).toBeVisible();
  const files = await page.evaluate(() => fetch("sw.js").then((r) => r.text(), () => ""));
  expect(files, "the worker itself is not kept").toBe("");
  const list = await readFile(join(host.folder, "sw.js"), "utf8");
  const names = JSON.parse(list.match(/^const FILES = (.*);$/m)[1]).map(([name]) => name);
  expect(names.filter((name) => name.startsWith("lessons/")).length).toBeGreaterThan(10);
  const missing = await page.evaluate(async ([names, b]) => {
    const answers = await Promise.all(names.map((n) => fetch(`${n}?build=${b}`).then((r) => r.ok, () => false)));
    return names.filter((_, i) => !answers[i]);
  }, [names, await build(page)]);
  expect(missing).toEqual([]);
  await open(page, `?lab=${LESSON.slice(8, -3)}`);
  await expect(page.locator("#live")).not.toContainText("could not");
});

test("a new build is seen at once, an open tab keeps its own, the oldest goes", async ({ page, host, context }) => {
  await open(page);
  await kept(page);
  const first = await deploy(host, SECOND);
  const other = await context.newPage();
  await open(other);
  expect(await build(other)).toBe(SECOND);
  const builds = () =>
    other.evaluate(async () => (await caches.keys()).map((name) => name.split(" ").at(-1)));
  await expect.poll(builds).toEqual([first, SECOND]);
  const active = () =>
    other.evaluate(() => navigator.serviceWorker.ready.then((all) => !all.installing && !all.waiting && all.active.state));
  await expect.poll(active).toBe("activated");
  expect(await text(other, SECOND)).toContain(`Of build ${SECOND}.`);
  expect(await text(page, first)).not.toContain("Of build");
  await deploy(host, THIRD);
  await open(other);
  expect(await build(other)).toBe(THIRD);
  await expect.poll(builds).toEqual([SECOND, THIRD]);
  await host.stop();
  await open(other);
  expect(await build(other)).toBe(THIRD);
  await open(page);
  expect(await build(page)).toBe(THIRD);
});

test("leaves a page alone that is shown inside another", async ({ page, host }) => {
  await writeFile(join(host.folder, "outer.html"), '<link rel="icon" href="data:,"><iframe src="./?embed" width="900" height="600"></iframe>');
  await page.goto("./outer.html");
  await expect(page.frameLocator("iframe").locator("html")).toHaveAttribute("data-ready", "1");
  await page.waitForTimeout(1500);
  expect(await page.evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.length))).toBe(0);
});
