// What the specs share: a page that fails on script errors and foreign requests, and an axe check.
import { test as base, expect } from "@playwright/test";
import AxeBuilder from "@axe-core/playwright";

export { expect };

/** A page whose script errors, console errors and requests to other hosts fail the test at its end. */
export const test = base.extend({
  // A spec whose subject is an error lists what it expects: test.use({ allowed: [/panicked/] }).
  allowed: [[], { option: true }],
  page: async ({ page, baseURL, allowed }, use) => {
    const problems = [];
    const add = (text) => allowed.some((pattern) => pattern.test(text)) || problems.push(text);
    page.on("pageerror", (error) => add(`script error: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && add(`console: ${message.text()}`));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(baseURL) && !/^(data|blob):/.test(url)) add(`foreign request: ${url}`);
    });
    await use(page);
    expect(problems, "the page reported problems").toEqual([]);
  },
});

/** Opens the page (`at` is a query or fragment) and waits until it has drawn. */
export async function open(page, at = "") {
  await page.goto(`./${at}`);
  await expect(page.locator("html")).toHaveAttribute("data-ready", "1");
}

/** Fails on any violation that axe finds; prints each with the elements it is about. */
export async function expectAccessible(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const told = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`,
  );
  expect(told, "axe").toEqual([]);
}

/** The line that says what was just done. */
export const status = (page) => page.locator("#live p").nth(1);
export const undo = (page) => page.getByRole("button", { name: "Undo", exact: true });
