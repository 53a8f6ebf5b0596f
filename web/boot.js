// Starts the app; in a worker, the same module as its engine. A file of its own, so that the page's
// CSP can forbid inline scripts (see Trunk.toml).
const at = new URL(import.meta.url).searchParams;
const here = (name) => new URL(at.get(name), import.meta.url).href;
try {
  const { default: init } = await import(here("js"));
  await init({ module_or_path: here("wasm") });
} catch (error) {
  // A worker tells the page by an error event.
  if (typeof document === "undefined") throw error;
  console.error(error);
  const boot = document.querySelector("#boot");
  if (boot) {
    boot.setAttribute("role", "alert");
    boot.textContent = `schedscope could not start: ${error?.message ?? error}. Reload the page; it needs a browser of 2023 or later.`;
  }
}
