// Starts the app; in a worker, the same module as its engine. A file of its own, so that the page's
// CSP can forbid inline scripts (see Trunk.toml).
const at = new URL(import.meta.url).searchParams;
const here = (name) => new URL(at.get(name), import.meta.url).href;
// Which build this is: release pages only.
const build = at.get("build");
const inWorker = typeof document === "undefined";

/** The compiled module: the page fetches it, a worker is handed it. */
function compiled() {
  if (inWorker) return new Promise((resolve) => (self.onmessage = ({ data }) => resolve(data)));
  return fetched(here("wasm"));
}

async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} could not be fetched (${response.status})`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!address.endsWith(".packed")) return WebAssembly.compile(bytes);
  const { unpacked } = await import(`./unpack.js?build=${build}`);
  return WebAssembly.compile(unpacked(bytes));
}

/** Lets the page open without a network next time, once it is drawn; a development page takes that back. */
async function keep() {
  const workers = navigator.serviceWorker;
  // None over plain http. A page inside another one leaves that to the page itself.
  if (!workers || window.top !== window) return;
  const scope = new URL("./", import.meta.url).href;
  if (!build) {
    for (const one of await workers.getRegistrations()) if (one.scope === scope) await one.unregister();
    return;
  }
  const root = document.documentElement;
  while (!root.dataset.ready) await new Promise((done) => setTimeout(done, 250));
  await new Promise(self.requestIdleCallback ?? ((done) => setTimeout(done, 1000)));
  await workers.register(new URL("sw.js", scope), { scope });
  await workers.ready;
  root.dataset.offline = "1";
}

try {
  const module = compiled();
  const { default: init } = await import(here("js"));
  await init({ module_or_path: await module });
  // Where a browser does not allow it, all else works.
  if (!inWorker) keep().catch(() => {});
} catch (error) {
  // A worker tells the page by an error event.
  if (inWorker) throw error;
  console.error(error);
  const boot = document.querySelector("#boot");
  if (boot) {
    boot.setAttribute("role", "alert");
    boot.textContent = `schedscope could not start: ${error?.message ?? error}. Reload the page; it needs a browser of 2023 or later.`;
  }
}
