// Every main state, on machines of 4, 16, 256 and 640 CPUs, in both themes and three sizes: it draws, nothing
// fails, axe finds nothing.
import { expect, expectAccessible, open, test } from "./page.mjs";

const SCENES = [
  ["?lab=q6600-compiler", "4 CPUs"],
  ["?lab=eight-on-one-cpu", "16 CPUs"],
  ["?lab=zen3-another-llc", "256 CPUs"],
  ["?lab=power10-640", "640 CPUs"],
];

for (const [query, cpus] of SCENES) {
  for (const tab of ["pick", "placement", "tree", "metrics"]) {
    test(`${cpus}, ${tab}`, async ({ page }) => {
      await open(page, `${query}&tab=${tab}`);
      await expect(page.locator("#machine .sub")).toContainText(cpus);
      await expect(page.getByRole("tab", { selected: true })).toBeVisible();
      await expectAccessible(page);
    });
  }
}

const STATES = [
  ["start page", "?empty"],
  ["loading", "?loading"],
  ["problems", "?lab=none&t=never"],
  ["a task open", "?row=2"],
  ["present", "?present"],
  ["present, placement", "?present&lab=q6600-compiler&tab=placement"],
  ["embed", "?embed"],
  ["lesson", "?lab=lwn-eevdf"],
];

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }]) {
    test.describe(`${colorScheme}, ${viewport.width} px`, () => {
      test.use({ colorScheme, viewport });
      for (const [name, query] of STATES) {
        test(name, async ({ page }) => {
          await open(page, query);
          await expectAccessible(page);
        });
      }
    });
  }
}

for (const name of ["About the model", "Keys and glossary", "Share link", "Export", "Labs", "Kernel features"]) {
  test(`dialog: ${name}`, async ({ page }) => {
    await open(page);
    await page.getByRole("button", { name }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });
}

test("a phone: tabs are panels, tasks can be changed", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await page.getByRole("tab", { name: "Tasks" }).click();
  await page.locator("#row-1").click();
  await expect(page.locator("#nice-1")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("tab", { name: "Machine" }).click();
  await expect(page.locator("#machine")).toBeVisible();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.locator("#choose-kernel").selectOption("6.6");
  await expect(page.locator("#live")).toContainText("6.6");
  await expectAccessible(page);
});

test("forced colours and more contrast", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active", contrast: "more" });
  await open(page);
  await expect(page.locator("#decision .ans .hd")).toBeVisible();
  await expectAccessible(page);
});
