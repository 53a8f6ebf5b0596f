// The page loads from a static host, draws, and is accessible, in both themes and three sizes.
import { expect, expectAccessible, open, test } from "./page.mjs";
import { DIST, serve } from "./static-server.mjs";

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of SIZES) {
    test.describe(`${colorScheme} at ${viewport.width} × ${viewport.height}`, () => {
      test.use({ colorScheme, viewport });
      test("draws and is accessible", async ({ page }) => {
        await open(page);
        await expect(page).toHaveTitle(/schedscope/);
        await expect(page.getByRole("main")).toBeVisible();
        await expectAccessible(page);
      });
    });
  }
}

test("has a policy that forbids inline scripts", async ({ page }) => {
  await open(page);
  const policy = page.locator('meta[http-equiv="Content-Security-Policy"]');
  await expect(policy).toHaveAttribute("content", /script-src 'self' 'wasm-unsafe-eval'/);
});

test.describe("in a folder of a host", () => {
  test.use({
    baseURL: async ({}, use) => {
      const server = await serve(DIST, 0, "/some/where/");
      await use(server.url);
      await server.close();
    },
  });
  test("draws, and asks for nothing outside the folder", async ({ page }) => {
    await open(page);
    await expect(page.getByRole("main")).toBeVisible();
  });
});
