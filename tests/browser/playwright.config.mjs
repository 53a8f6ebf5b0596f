// Real flows in a real Chromium against dist/, the release build. `cargo xtask test browser` runs them.
import { defineConfig } from "@playwright/test";

const port = Number(process.env.PORT ?? 8093);

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.mjs",
  outputDir: "../../target/browser-tests",
  timeout: 60_000,
  expect: { timeout: 15_000 },
  workers: Number(process.env.WORKERS ?? 1),
  forbidOnly: !!process.env.CI,
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${port}/`,
    viewport: { width: 1440, height: 900 },
    contextOptions: { reducedMotion: "reduce" },
    screenshot: "only-on-failure",
    // Each test loads from the host; offline.spec.mjs is about the service worker.
    serviceWorkers: "block",
    launchOptions: {
      executablePath: process.env.CHROME ?? "/usr/bin/chromium",
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  webServer: {
    command: `node static-server.mjs ../../dist ${port}`,
    url: `http://127.0.0.1:${port}/`,
    reuseExistingServer: false,
  },
});
