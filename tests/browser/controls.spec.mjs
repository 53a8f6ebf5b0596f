// The controls of kernels, rows, groups, figures and lessons, used for real.
import { expect, expectAccessible, open, status, test, undo } from "./page.mjs";

const face = (page) => page.getByRole("button", { name: /^Letter and colour of/ });

/** Opens the page again at its own address, and nothing else. */
async function reopen(page) {
  await expect.poll(() => page.url()).toContain("#v1.");
  await page.waitForTimeout(600);
  const link = page.url().replace(/\?[^#]*/, "");
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.locator("html")).toHaveAttribute("data-ready", "1");
}

test.describe("letter and colour of a row", () => {
  test("by mouse; undone; in the link", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&row=1");
    await face(page).click();
    await page.locator("#letter-0").fill("Q");
    await page.locator("#letter-0").press("Enter");
    await expect(page.locator("#row-0 .cp text")).toHaveText("Q");
    await page.getByRole("radio", { name: "gold, dotted", exact: true }).click();
    await expect(face(page)).toHaveAttribute("aria-label", /: Q, gold, dotted$/);
    await expectAccessible(page);
    await undo(page).click();
    await expect(face(page)).not.toHaveAttribute("aria-label", /gold/);
    await page.getByRole("button", { name: "Redo", exact: true }).click();
    await page.getByLabel("grey: part of the background").check();
    await expect(face(page)).toContainText("grey");
    await reopen(page);
    await expect(page.locator("#row-0 .cp text")).toHaveText("Q");
    await expect(face(page)).toContainText("grey");
  });

  test("by keyboard: arrows go over the palette, Enter takes, Escape closes", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&row=1&step=0");
    await face(page).press("Enter");
    await page.locator(".swatch[tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(face(page)).toHaveAttribute("aria-label", /orange, dotted$/);
    await expect(status(page)).toContainText("colour");
    await page.keyboard.press("Escape");
    await expect(page.locator(".palettebox")).toHaveCount(0);
    await expect(face(page)).toBeFocused();
    await page.locator("#row-0").focus();
    await page.keyboard.press("Shift+M");
    await expect(face(page)).toContainText("grey");
  });
});

test.describe("the kernel", () => {
  test("is chosen by era, placement apart from the fair class, and features go back", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu");
    const box = page.locator("#choose-kernel");
    await expect(box.locator("optgroup")).toHaveCount(3);
    await page.getByRole("button", { name: "Kernel features", exact: true }).click();
    const sheet = page.getByRole("dialog", { name: "Kernel" });
    await expectAccessible(page);
    await sheet.getByLabel(/Linux 4.19, CFS/).check();
    await expect(box).toHaveValue("4.19");
    await sheet.locator("#choose-placement").selectOption("4.15");
    await expect(status(page)).toContainText("placement of 4.15");
    await expect(sheet.locator("#choose-placement")).toHaveValue("4.15");
    const rules = sheet.getByRole("group", { name: /Placement, 4.16 to 4.19/ });
    await rules.getByRole("checkbox", { name: "WA_IDLE_PREV" }).check();
    await expect(rules.locator("li.changed")).toHaveCount(1);
    await rules.getByRole("button", { name: "changed: back to off" }).click();
    await expect(rules.locator("li.changed")).toHaveCount(0);
    await rules.getByRole("checkbox", { name: "RECENT_USED_CPU" }).check();
    await expect(rules.locator("li.changed")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await reopen(page);
    await expect(box).toHaveValue("4.19");
    await page.getByRole("button", { name: "Kernel features", exact: true }).click();
    await expect(sheet.locator("#choose-placement")).toHaveValue("4.15");
    await expect(sheet.getByRole("checkbox", { name: "RECENT_USED_CPU" })).toBeChecked();
  });

  test("that lacks something says so at the row, and keeps it", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&row=1&step=0");
    await page.locator("#slice-0").fill("50");
    const slice = page.getByRole("textbox", { name: "slice, ms value" });
    const value = await slice.inputValue();
    await page.locator("#choose-kernel").selectOption("6.1");
    const notes = page.locator("#tasks .rownotes");
    await expect(notes).toContainText("has no effect");
    await expect(page.locator("#row-0 .nm b")).toBeVisible();
    await page.locator("#choose-kernel").selectOption("6.12");
    await expect(notes).toHaveCount(0);
    await expect(slice).toHaveValue(value);
  });

  test("has another beside it: lanes, figures, the link, and it is closed", async ({ page }) => {
    await open(page, "?lab=eight-on-one-cpu&tab=metrics");
    await page.locator("#choose-beside").selectOption("4.19");
    await expect(status(page)).toContainText("Beside it: Linux 4.19");
    const figures = page.getByRole("region", { name: "Figures" });
    await expect(figures.getByRole("columnheader", { name: /Linux 4.19/ })).toBeVisible();
    await expect(figures.getByRole("columnheader", { name: /Linux 6.12/ })).toBeVisible();
    // The picture has both, and the first difference is one click or key away.
    await expect(figures.locator("svg").first()).toBeVisible();
    await page.getByRole("button", { name: "Go to the first difference" }).click();
    const sentence = /^At [\d.\s]+ms on CPU \d+: 6\.12 .*, 4\.19 .*\.$/;
    await expect(figures.locator(".differ .tx")).toHaveText(sentence);
    const first = await figures.locator(".differ .tx").innerText();
    await expect(status(page)).toContainText(first.slice(0, 12));
    await page.keyboard.press("d");
    await expect(figures.locator(".differ .tx")).not.toHaveText(first);
    await expect(figures.locator(".differ .tx")).toHaveText(sentence);
    await page.keyboard.press("Shift+D");
    await expect(figures.locator(".differ .tx")).toHaveText(first);
    const words = /^Next difference\. In view the kernels differ in [\d.\s]+ms of /;
    const band = page.locator("#timeline title", { hasText: words });
    await expect(band).toHaveCount(1);
    await expectAccessible(page);
    await reopen(page);
    await expect(page.locator("#choose-beside")).toHaveValue("4.19");
    await page.getByRole("button", { name: "Close the second kernel" }).click();
    await expect(page.locator("#choose-beside")).toHaveValue("");
    await expect(figures).toHaveCount(0);
    await page.getByRole("button", { name: "Kernel features", exact: true }).click();
    await page.getByRole("button", { name: "Compare with RUN_TO_PARITY off" }).click();
    await expect(page.locator("#choose-beside")).toHaveValue("RUN_TO_PARITY off");
  });
});

test("figures count up to the playhead or all, and are saved as JSON", async ({ page }) => {
  await open(page, "?lab=eight-on-one-cpu&tab=metrics");
  const upto = page.locator(".meta .num");
  const here = await upto.innerText();
  await page.getByRole("button", { name: "all that was simulated" }).click();
  await expect(upto).toHaveText(/^200\.000/);
  await page.getByRole("button", { name: "up to the playhead" }).click();
  await expect(upto).toHaveText(here);
  await page.getByRole("button", { name: "Export" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Metrics, JSON" }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.json$/);
});

test("a value that is being chosen shows what would be picked, and is not taken", async ({ page }) => {
  await open(page, "?lab=eight-on-one-cpu&row=3");
  const heading = page.locator("#decision .ans .hd > span");
  const was = await heading.innerText();
  const slider = await page.locator("#nice-2").boundingBox();
  await page.mouse.move(slider.x + slider.width / 2, slider.y + slider.height / 2);
  await page.mouse.down();
  await page.mouse.move(slider.x + slider.width - 8, slider.y + slider.height / 2, { steps: 5 });
  await expect(heading).toContainText("What if:");
  await expect(undo(page)).toBeDisabled();
  await page.mouse.up();
  await expect(undo(page)).toBeEnabled();
  await expect(heading).not.toContainText("What if:");
  await undo(page).click();
  await expect(heading).toHaveText(was);
});

test("labs are listed by theme, and found by words", async ({ page }) => {
  await open(page, "?empty");
  await expect(page.getByRole("region", { name: "Who runs next" })).toBeVisible();
  expect(await page.locator(".question").count()).toBeGreaterThan(25);
  await page.getByRole("button", { name: "Labs", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Labs" });
  await expectAccessible(page);
  await sheet.getByLabel("Find a lab").fill("interrupt socket");
  await expect(sheet.locator(".question")).toHaveCount(1);
  await sheet.locator(".question").click();
  await expect(page).toHaveTitle(/nterrupt/);
});

test("groups of tasks: added, named, filled, weighed, removed", async ({ page }) => {
  await open(page, "?lab=eight-on-one-cpu&row=1&step=0");
  await page.getByRole("button", { name: "group of tasks" }).click();
  const name = page.locator("#groupname-0");
  await name.fill("batch");
  await name.press("Enter");
  await expect(status(page)).toContainText("batch");
  await page.locator("#group-0").selectOption({ label: "batch" });
  await expect(page.locator(".intg #row-0")).toBeVisible();
  const shares = page.getByRole("textbox", { name: "shares of batch" });
  await shares.fill("512");
  await shares.press("Enter");
  await expect(status(page)).toContainText("512");
  await expectAccessible(page);
  await reopen(page);
  await expect(shares).toHaveValue("512");
  await expect(page.locator(".intg #row-0")).toBeVisible();
  await page.getByRole("button", { name: "Remove the group batch" }).click();
  await expect(page.locator(".tgroup")).toHaveCount(0);
  await expect(page.locator(".row")).toHaveCount(8);
});

test("a machine is not built from a number that is refused", async ({ page }) => {
  await open(page, "?lab=eight-on-one-cpu");
  await page.locator("#choose-machine").selectOption("-own");
  const build = page.getByRole("button", { name: "Use this machine" });
  const sockets = page.getByRole("textbox", { name: "sockets" });
  await sockets.fill("99");
  await sockets.press("Enter");
  await expect(build).toBeDisabled();
  await sockets.fill("2");
  await sockets.press("Enter");
  await expect(build).toBeEnabled();
});

test("a per-CPU kernel thread is added by Enter, Enter on the CPU in focus", async ({ page }) => {
  await open(page, "?lab=eight-on-one-cpu&cpu=3&step=0");
  await page.getByRole("button", { name: /^Add kthread/ }).press("Enter");
  await expect(page.getByRole("textbox", { name: "CPU list" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator(".row")).toHaveCount(9);
  await expect(page.locator("#problems")).toHaveCount(0);
});
