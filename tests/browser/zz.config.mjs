import base from "/tmp/wt-web2/tests/browser/playwright.config.mjs";
export default { ...base, testDir: "/tmp/wt-web2/tests/browser", outputDir: "/tmp/wt-web2/target/browser-tests", timeout: 90000, use: { ...base.use, baseURL: "http://127.0.0.1:8139/" }, webServer: undefined };
