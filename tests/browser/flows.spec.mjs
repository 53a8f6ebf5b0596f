// What people do with the page, done for real: by mouse, by keyboard, by touch.
import { expect, expectAccessible, open, status, test, undo } from "./page.mjs";

const clock = (page) => page.locator("#clock");
const event = async (page) => Number((await page.locator("#event").innerText()).match(/event ([\d\s\u202f]+)/)[1].replace(/\D/g, ""));
const row = (page, name) => page.getByRole("row").filter({ hasText: new RegExp(`^\\S*\\s*${name}`) }).first();
const redo = (page) => page.getByRole("button", { name: "Redo", exact: true });
const cell = (page, cpu) => page.locator(`#machine [data-cpu="${cpu}"]`).last();

async function middle(locator) {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

async function drag(page, from, to, options = {}) {
  const [x0, y0] = await middle(from);
  const [x1, y1] = await middle(to);
  await page.mouse.move(x0, y0);
  await page.mouse.down();
  await page.mouse.move(x0 + 8, y0 + 8);
  await page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2);
  await page.mouse.move(x1, y1, { steps: 4 });
  if (options.rest) await page.waitForTimeout(options.rest);
  const [x2, y2] = options.then ? await middle(options.then()) : [x1, y1];
  if (options.then) await page.mouse.move(x2, y2, { steps: 3 });
  if (options.shift) await page.keyboard.down("Shift");
  await page.mouse.up();
  if (options.shift) await page.keyboard.up("Shift");
}

test.describe("a card is carried to a CPU", () => {
  test("by mouse", async ({ page }) => {
    await open(page, "?lab=two-sleepers-and-a-hog&step=0");
    await page.locator("#choose-machine").selectOption("cpu4");
    await expect(page.locator("#machine .sub")).toContainText("4 CPUs");
    await drag(page, page.locator("#row-0 .nm"), cell(page, 3));
    await expect(undo(page)).toBeEnabled();
    await expect(status(page)).toContainText("CPU 3");
    await expect(page.locator("#ghost")).toHaveCount(0);
  });

  test("by mouse with Shift: that pins", async ({ page }) => {
    await open(page, "?lab=two-sleepers-and-a-hog&step=0");
    await page.locator("#choose-machine").selectOption("cpu4");
    await expect(page.locator("#machine .sub")).toContainText("4 CPUs");
    await drag(page, page.locator("#row-0 .nm"), cell(page, 2), { shift: true });
    await expect(page.locator(".grp").getByText("pinned to CPU 2")).toBeVisible();
  });

  test("resting on a CPU pins", async ({ page }) => {
    await open(page, "?lab=two-sleepers-and-a-hog&step=0");
    await page.locator("#choose-machine").selectOption("cpu4");
    await expect(page.locator("#machine .sub")).toContainText("4 CPUs");
    await drag(page, page.locator("#row-1 .nm"), cell(page, 1), { rest: 800 });
    await expect(page.locator(".grp").getByText("pinned to CPU 1")).toBeVisible();
  });

  test("dropped beside the machine it is put back", async ({ page }) => {
    await open(page, "?lab=two-sleepers-and-a-hog&step=0");
    await drag(page, page.locator("#row-0 .nm"), page.locator(".tabs"));
    await expect(status(page)).toContainText("Put back");
    await expect(undo(page)).toBeDisabled();
  });

  test("by keyboard, with a typed list", async ({ page }) => {
    await open(page, "?lab=zen3-another-llc&step=0");
    await page.locator("#row-0").focus();
    await page.keyboard.press("Enter");
    await page.locator("#row-0").focus();
    await page.keyboard.press("m");
    await expect(page.getByRole("textbox", { name: "CPU list" })).toBeFocused();
    await page.keyboard.type("0-7,128-135");
    await page.keyboard.press("Enter");
    await expect(page.locator(".grp").getByText("CPUs 0-7,128-135")).toBeVisible();
    await expect(page.locator("#cpus-0")).toHaveValue("0-7,128-135");
  });

  test("by keyboard, with arrows, and put back with Escape", async ({ page }) => {
    await open(page, "?lab=zen3-another-llc&t=0ms&row=1");
    await page.locator("#row-0").focus();
    await page.keyboard.press("m");
    const field = page.getByRole("textbox", { name: "CPU list" });
    await expect(field).toBeFocused();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await expect(status(page)).toContainText(/CPU \d+/);
    await page.keyboard.press("Escape");
    await expect(field).toHaveCount(0);
    await expect(undo(page)).toBeDisabled();
  });

  test("on 256 CPUs by mouse: the LLC under the pointer becomes large", async ({ page }) => {
    await open(page, "?lab=zen3-another-llc&t=0ms&tab=pick");
    await drag(page, page.locator("#row-0 .nm"), cell(page, 70), { rest: 450, then: () => cell(page, 70) });
    await expect(undo(page)).toBeEnabled();
    await expect(status(page)).toContainText("CPU 70");
  });

  test("a pattern becomes a task", async ({ page }) => {
    await open(page, "?empty");
    await drag(page, page.getByRole("button", { name: /^Add CPU hog/ }), cell(page, 5));
    await expect(row(page, "hog")).toBeVisible();
    await page.getByRole("button", { name: /^Add Pipe pair/ }).press("Enter");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await expect(row(page, "pong")).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Next decision" }).click();
    await expect(page.locator("#decision")).toContainText("runs next");
  });
});

test.describe("touch", () => {
  test.use({ hasTouch: true, viewport: { width: 1024, height: 768 } });
  test("press and hold, then drag", async ({ page }) => {
    await open(page, "?lab=two-sleepers-and-a-hog&step=0");
    await page.locator("#choose-machine").selectOption("cpu4");
    await expect(page.locator("#machine .sub")).toContainText("4 CPUs");
    const [x0, y0] = await middle(page.locator("#row-0 .nm"));
    const [x1, y1] = await middle(cell(page, 2));
    const client = await page.context().newCDPSession(page);
    const touch = (type, x, y) =>
      client.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
    await touch("touchStart", x0, y0);
    await page.waitForTimeout(450);
    await touch("touchMove", (x0 + x1) / 2, (y0 + y1) / 2);
    await touch("touchMove", x1, y1);
    await touch("touchEnd");
    await expect(status(page)).toContainText("CPU 2");
    await expect(undo(page)).toBeEnabled();
  });
});

test.describe("a task is changed", () => {
  test("nice by number, by slider, and what is out of range is not taken", async ({ page }) => {
    await open(page, "?lab=two-sleepers-and-a-hog&step=0&row=1");
    const number = page.locator("#row-0").getByRole("textbox", { name: /^nice of/ });
    await number.fill("-10");
    await number.press("Enter");
    await expect(page.locator("#nice-0")).toHaveValue("-10");
    await expect(number).toHaveValue("−10");
    await page.locator("#nice-0").focus();
    await page.keyboard.press("ArrowRight");
    await expect(number).toHaveValue("−9");
    await page.locator("#latency-0").fill("5");
    await expect(page.locator("#row-0").getByRole("textbox", { name: /^latency-nice/ })).toHaveValue("5");
    await number.fill("40");
    await number.press("Enter");
    await expect(page.getByText("−20 to 19")).toBeVisible();
    await expect(page.locator("#nice-0")).toHaveValue("-9");
    await number.press("Escape");
    await expect(number).toHaveValue("−9");
  });

  test("slice, CPUs, name, program, duplicate, remove", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&step=0&row=1");
    await page.locator("#cpus-0").fill("0-3,8");
    await page.locator("#cpus-0").press("Enter");
    await expect(page.locator(".grp").getByText("CPUs 0-3,8")).toBeVisible();
    await page.locator("#name-0").fill("typist");
    await page.locator("#name-0").press("Enter");
    await expect(row(page, "typist")).toBeVisible();
    await page.locator("#program-0").fill("loop\nrun 2ms\nsleep 6ms\nend");
    await page.locator("#program-0").blur();
    await expect(status(page)).toContainText("typist");
    await page.getByRole("button", { name: "Duplicate" }).click();
    await expect(page.locator(".row")).toHaveCount(9);
    await page.getByRole("button", { name: "Remove" }).click();
    await expect(page.locator(".row")).toHaveCount(8);
  });

  test("a program that cannot be read is refused, and nothing is lost", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&step=0&row=1");
    await page.locator("#program-0").fill("loop\nrunn 2ms\nend");
    await page.locator("#program-0").blur();
    await expect(page.locator(".ed .why")).toHaveText(/^Line 2: "runn" is no operation/);
    await expect(page.locator("#program-0")).toHaveAttribute("aria-invalid", "true");
    await expect(page.locator(".row")).toHaveCount(8);
    await page.locator("#program-0").fill("loop\nrun 2ms\nend");
    await page.locator("#program-0").blur();
    await expect(page.locator(".ed .why")).toHaveCount(0);
  });

  test("a machine from a file keeps what was changed, and one undo brings the old one back", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&step=0");
    const nice = page.locator(".row").first().getByRole("textbox").first();
    await nice.fill("7");
    await nice.press("Enter");
    await expect(page.locator("#machine .sub")).toContainText("16");
    await page.locator("input[type=file]").first().setInputFiles({
      name: "lscpu.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("CPU NODE SOCKET CORE L1d:L1i:L2:L3\n0 0 0 0 0:0:0:0\n1 0 0 1 1:1:1:0\n2 0 0 2 2:2:2:0\n3 0 0 3 3:3:3:0\n"),
    });
    await expect(page.locator("#machine .sub")).toContainText("4");
    await expect(page.locator("#machine .sub")).not.toContainText("16");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.locator("#machine .sub")).toContainText("16");
    await nice.focus();
    await page.keyboard.press("Control+z");
    await expect(nice).not.toHaveValue("7");
  });
});

test.describe("time", () => {
  test("playing by event goes on to the end of the run", async ({ page }) => {
    await open(page, "?lab=lwn-eevdf&t=150ms");
    await page.getByRole("button", { name: "event", exact: true }).click();
    await page.getByRole("button", { name: "fast", exact: true }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    const end = /^event ([\d\s]+) \/ \1$/;
    await expect(page.locator("#event")).toHaveText(end, { timeout: 40_000 });
  });

  test("forwards and back, by check and by decision, is exact", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    const heading = page.locator("#decision .ans .hd > span");
    const before = [await clock(page).innerText(), await heading.innerText()];
    await page.keyboard.press("Shift+ArrowRight");
    await expect(clock(page)).not.toHaveText(before[0]);
    await page.keyboard.press("Shift+ArrowLeft");
    await expect(clock(page)).toHaveText(before[0]);
    await expect(heading).toHaveText(before[1]);
    await page.keyboard.press("ArrowLeft");
    await expect(page.locator(".read")).toContainText(/check \d+ of \d+/);
    await expect(heading).not.toHaveText(before[1]);
    await page.keyboard.press("ArrowRight");
    await expect(heading).toHaveText(before[1]);
  });

  test("by event, by tick, home, end, click and scrub", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&step=10");
    await page.getByRole("button", { name: "event", exact: true }).click();
    await page.getByRole("button", { name: "Step forward" }).click();
    await expect.poll(() => event(page)).toBe(11);
    await page.getByRole("button", { name: "Step back" }).click();
    await expect.poll(() => event(page)).toBe(10);
    await page.getByRole("button", { name: "tick", exact: true }).click();
    await page.getByRole("button", { name: "Step forward" }).click();
    await expect.poll(() => event(page)).toBeGreaterThan(10);
    await page.locator("body").press("Home");
    await expect(clock(page)).toHaveText(/^0\.000/);
    await expect(page.getByRole("button", { name: "Step back" })).toBeDisabled();
    await page.locator("body").press("End");
    await expect(clock(page)).toHaveText(/^(199|200)\./);
    const lanes = await page.locator(".tline").boundingBox();
    await page.mouse.click(lanes.x + lanes.width * 0.6, lanes.y + 12);
    await expect(clock(page)).not.toHaveText(/^(199|200)\.9/);
  });

  test("playing goes on by itself, and any step pauses", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    const before = await page.locator(".read").innerText();
    await page.getByRole("button", { name: "fast" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect(page.locator(".read")).not.toHaveText(before);
    await page.getByRole("button", { name: "Step back" }).click();
    await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  });

  test("zoom, pan, fit", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    const ticks = () => page.locator(".layer.head text").allTextContents();
    const first = await ticks();
    await page.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(ticks).not.toEqual(first);
    const zoomed = await ticks();
    const lanes = await page.locator(".tline").boundingBox();
    await page.mouse.move(lanes.x + 800, lanes.y + 60);
    await page.mouse.wheel(0, 200);
    await expect.poll(ticks).not.toEqual(zoomed);
    await page.waitForTimeout(300);
    await page.keyboard.press("0");
    await expect.poll(async () => (await ticks()).join(" ")).toContain("200");
  });
});

test.describe("the past", () => {
  test("an edit there forks, says so, and can be undone and done again", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&row=8");
    const nice = page.locator("#row-7").getByRole("textbox", { name: /^nice of/ });
    const was = await nice.inputValue();
    await nice.fill("-15");
    await nice.press("Enter");
    await expect(status(page)).toContainText(/is gone/);
    await expect(nice).toHaveValue("−15");
    await undo(page).click();
    await expect(nice).toHaveValue(was);
    await expect(status(page)).toContainText("Undone");
    await redo(page).click();
    await expect(nice).toHaveValue("−15");
    await page.locator("body").press("Control+z");
    await expect(nice).toHaveValue(was);
    await page.locator("body").press("Control+Shift+Z");
    await expect(nice).toHaveValue("−15");
  });

  test("another kernel, another machine, another seed: the same tasks", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    await page.locator("#choose-kernel").selectOption("6.6");
    await expect(status(page)).toContainText("6.6");
    await page.locator("#choose-seed").fill("77");
    await page.locator("#choose-seed").press("Enter");
    await expect(status(page)).toContainText("77");
    await page.locator("#choose-machine").selectOption("-own");
    await page.getByRole("button", { name: "Use this machine" }).click();
    await expect(page.locator("#machine .sub")).toContainText("2 LLCs");
    await expect(page.locator(".row")).toHaveCount(8);
    await undo(page).click();
    await expect(page.locator("#machine .sub")).toContainText("16 CPUs");
    await page.getByRole("button", { name: "Kernel features" }).click();
    await page.getByRole("checkbox", { name: /RUN_TO_PARITY/ }).uncheck();
    await page.getByRole("button", { name: "Close" }).click();
    await expect(status(page)).toContainText("RUN_TO_PARITY");
  });
});

test.describe("links", () => {
  test("the address opens the same screen again", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&row=3");
    await page.keyboard.press("3");
    await page.keyboard.press("ArrowLeft");
    const heading = page.locator("#decision .ans .hd > span");
    const told = [await clock(page).innerText(), await heading.innerText()];
    await expect.poll(() => page.url()).toContain("#v1.");
    await page.waitForTimeout(400);
    const link = page.url().replace(/\?[^#]*/, "");
    await page.goto("about:blank");
    await page.goto(link);
    await expect(page.locator("html")).toHaveAttribute("data-ready", "1");
    await expect(clock(page)).toHaveText(told[0]);
    await expect(heading).toHaveText(told[1]);
    await expect(page.getByRole("tab", { name: "Queue tree" })).toHaveAttribute("aria-selected", "true");
    await expect(page.locator("#row-2")).toHaveAttribute("aria-selected", "true");
  });

  test("the dialog offers it, with all edits in it", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, "?lab=two-sleepers-and-a-hog&row=1");
    const nice = page.locator("#row-0").getByRole("textbox", { name: /^nice of/ });
    await nice.fill("7");
    await nice.press("Enter");
    await expect(undo(page)).toBeEnabled();
    await page.getByRole("button", { name: "Share link" }).click();
    const link = await page.locator("#share-link").inputValue();
    await page.getByRole("button", { name: "Copy link" }).click();
    await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await page.goto("about:blank");
    await page.goto(link);
    await expect(page.locator("html")).toHaveAttribute("data-ready", "1");
    await expect(nice).toHaveValue("7");
  });

  test("a bad link and a bad query say why; the screen keeps what it has", async ({ page }) => {
    await open(page, "?lab=no-such-lab&t=soon#v9.abc");
    const problems = page.locator("#problems");
    await expect(problems).toContainText("There is no lab");
    await expect(problems).toContainText("is not a time");
    await expect(problems).toContainText("newer schedscope");
    await expect(page.locator(".row").first()).toBeVisible();
    const before = await clock(page).innerText();
    await page.evaluate(() => { location.hash = "#v1.broken!"; });
    await expect(problems).toContainText("damaged");
    await expect(clock(page)).toHaveText(before);
  });
});

test.describe("files", () => {
  const choose = (page, name, text) =>
    page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

  test("a bad scenario lists every problem with its line and changes nothing", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    const before = await clock(page).innerText();
    await choose(page, "bad.toml", 'schedscope = 1\nmachine = "cpu9"\n\n[[task]]\nname = "a"\nnice = 30\nprogram = "runn 1ms"\n');
    const problems = page.locator("#problems");
    await expect(problems.getByRole("listitem")).not.toHaveCount(1);
    await expect(problems).toContainText("Line 2");
    await expect(problems).toContainText("Line 6");
    await expect(clock(page)).toHaveText(before);
    await page.keyboard.press("Shift+ArrowRight");
    await expect(clock(page)).not.toHaveText(before);
  });

  test("a scenario and a topology are opened, a scenario is saved", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    await choose(page, "mine.toml", 'schedscope = 1\ntitle = "Mine"\nmachine = "cpu2"\n\n[[task]]\nname = "only"\nprogram = "loop\\nrun 3ms\\nsleep 1ms\\nend"\n');
    await expect(page.locator(".row")).toHaveCount(1);
    await expect(page).toHaveTitle(/Mine/);
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Scenario", exact: true }).click()]);
    expect(file.suggestedFilename()).toMatch(/\.toml$/);
    await page.getByRole("button", { name: "Close" }).click();
    await choose(page, "lscpu.txt", "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n0 0 0 0 0:0:0:0 yes\n1 0 0 1 1:1:1:0 yes\n2 0 0 2 2:2:2:0 yes\n");
    await expect(page.locator("#machine .sub")).toContainText("3 CPUs");
  });

  test("a file that is dropped is opened", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['schedscope = 1\ntitle = "Dropped"\nmachine = "cpu1"\n'], "d.toml"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await expect(page).toHaveTitle(/Dropped/);
  });
});

test.describe("a worker that dies", () => {
  test.use({ allowed: [/panicked|unreachable|asked to/] });
  test("leaves a card with scenario, seed and step, and can be started again", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    const at = await clock(page).innerText();
    await open(page, "?lab=eight-on-one-cpu&panic");
    const card = page.locator("#crash");
    await expect(card).toContainText("stopped at step");
    await expect(card).toContainText("Eight tasks on one CPU");
    await expect(card).toContainText("seed");
    await expect(clock(page)).toHaveText(at);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Start the engine again" }).click();
    await expect(card).toHaveCount(0);
    await expect(clock(page)).toHaveText(at);
    await page.keyboard.press("Shift+ArrowRight");
    await expect(clock(page)).not.toHaveText(at);
  });
});

test.describe("theme and modes", () => {
  test("the theme is chosen and remembered", async ({ page }) => {
    await open(page);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: "Dark theme" }).click();
    await expect.poll(ground).not.toBe(light);
    await open(page);
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  });

  test("present: clicker keys step, Escape ends it", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    await page.keyboard.press("p");
    await expect(page.locator("html")).toHaveAttribute("data-mode", "present");
    const heading = page.locator("#decision .ans .hd > span");
    const before = await heading.innerText();
    await page.keyboard.press("PageUp");
    await expect(heading).not.toHaveText(before);
    await page.keyboard.press("PageDown");
    await expect(heading).toHaveText(before);
    await page.keyboard.press("Escape");
    await expect(page.locator(".tline")).toBeVisible();
  });

  test("embed: answer, picture, steps, and the way out", async ({ page }) => {
    await page.setViewportSize({ width: 760, height: 440 });
    await open(page, "?lab=eight-on-one-cpu&embed");
    await expect(page.getByRole("link", { name: "Open in schedscope" })).toHaveAttribute("href", /#v1\./);
    await page.getByRole("button", { name: "Step back" }).click();
    await expect(page.getByText(/check \d+ of \d+/)).toBeVisible();
  });

  test("a lesson asks before it tells", async ({ page }) => {
    await open(page, "?lab=lwn-eevdf");
    await page.getByRole("button", { name: "Next", exact: true }).click();
    const answers = page.getByRole("group", { name: "Which task is picked now?" });
    await expect(answers).toBeVisible();
    await expect(page.locator("#decision .ans .hd > span")).not.toContainText("runs next");
    await answers.getByRole("button", { name: "A", exact: true }).click();
    await expect(page.locator(".reply")).toContainText("No, it is B.");
    await expect(page.locator("#decision .ans .hd > span")).toContainText("B runs next");
  });

  test("a lesson goes to another kernel", async ({ page }) => {
    await open(page, "?lab=lag-over-sleep");
    const kernel = page.getByRole("combobox", { name: "kernel" });
    await expect(kernel).toHaveValue("6.6");
    await page.getByLabel("What will A's lag be when it wakes").fill("-1 ms");
    await page.keyboard.press("Enter");
    await expect(page.locator(".reply")).toContainText("Yes.");
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await expect(kernel).toHaveValue("6.6");
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await expect(kernel).toHaveValue("6.12");
    await expect(page.locator(".lessonhead")).toContainText("6.12");
  });

  test("with motion reduced nothing takes time to move", async ({ page }) => {
    await open(page);
    const longest = await page.evaluate(() =>
      Math.max(...[...document.querySelectorAll(".moves *")].map((e) => parseFloat(getComputedStyle(e).transitionDuration))),
    );
    expect(longest).toBeLessThan(0.01);
  });
});

test.describe("keyboard", () => {
  test("F6 goes round the regions; every tab stop can be seen", async ({ page }) => {
    await open(page);
    const region = () => page.evaluate(() => document.activeElement?.closest("#banner,#tasks,#machine,#decision,#timeline")?.id);
    const seen = [];
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press("F6");
      seen.push(await region());
    }
    expect(seen).toEqual(["banner", "tasks", "machine", "decision", "timeline"]);
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    expect(outline).not.toBe("none");
  });

  test("the keys of the help sheet work, and can be switched off", async ({ page }) => {
    await open(page);
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keys and glossary" })).toBeVisible();
    await page.getByLabel(/single letters/).uncheck();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.keyboard.press("2");
    await expect(page.getByRole("tab", { name: "Pick" })).toHaveAttribute("aria-selected", "true");
  });

  test("steps are read aloud", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    const said = page.locator("#live p").first();
    await expect(said).toContainText("runs next");
    await page.keyboard.press("ArrowLeft");
    await expect(said).toContainText(/^Check \d+ of \d+\./);
  });
});
