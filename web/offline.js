// The service worker: keeps one whole build in this browser, so that the page and every lesson open
// without a network. `cargo xtask after-build` puts BUILD and FILES ([name, integrity]) before it.
const PREFIX = `schedscope ${registration.scope} `;
const PATIENCE = 3000;
const here = (name) => new URL(name, registration.scope).href;
// Trunk's names with a hash of the content: the same in every build that has them.
const isHashed = (name) => /-[0-9a-f]{16}[_.]/.test(name);

/** Names of this page's caches: its own, then the newest first. Other pages of the host have theirs. */
async function ours() {
  const all = (await caches.keys()).filter((name) => name.startsWith(PREFIX)).reverse();
  return all.sort((a, b) => (b === PREFIX + BUILD) - (a === PREFIX + BUILD));
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

async function install() {
  const name = PREFIX + BUILD;
  try {
    const cache = await caches.open(name);
    await Promise.all(FILES.map((file) => store(cache, ...file)));
    // The page last: a cache that has it is whole. Under the folder's name, for some hosts redirect index.html.
    const response = await fetch(here("./"), { cache: "no-cache" });
    const text = await response.text();
    if (!response.ok || !text.includes(BUILD)) throw new Error("the host has another build by now");
    await cache.put(here("./"), new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } }));
    // At once: tabs of the build before ask for their own files by its name, and those are still here.
    await self.skipWaiting();
  } catch (error) {
    await caches.delete(name);
    throw error;
  }
}

/** Stores a file; what the page has just loaded comes from the browser's own cache. */
async function store(cache, name, integrity) {
  const kept = isHashed(name) && (await find(here(name), await ours()));
  const address = isHashed(name) ? here(name) : here(`${name}?build=${BUILD}`);
  const response = kept || (await fetch(address, { integrity, cache: "force-cache" }));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  // Without the address it came from: a module reads what follows its name (see boot.js).
  const headers = { "content-type": response.headers.get("content-type") ?? "application/octet-stream" };
  await cache.put(here(name), new Response(await response.blob(), { headers }));
}

async function activate() {
  const [, , ...old] = await ours();
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  const address = new URL(request.url);
  const build = address.searchParams.get("build");
  address.search = "";
  const name = address.href.slice(registration.scope.length);
  if (request.mode === "navigate") {
    if (name === "" || name === "index.html") event.respondWith(page(request));
  } else if (build || isHashed(name)) {
    event.respondWith(file(request, address.href, build));
  }
});

/** From the network, so that a new build is seen at once; from the newest cache where that fails or takes long. */
async function page(request) {
  const fresh = fetch(request, { cache: "no-cache" });
  fresh.catch(() => {});
  const late = new Promise((_, failed) => setTimeout(failed, PATIENCE));
  try {
    const response = await Promise.race([fresh, late]);
    if (response.status < 500) return response;
  } catch {}
  return (await find(here("./"), await ours())) ?? fresh;
}

/** A page says of which build it is, and gets files of that one only. */
async function file(request, address, build) {
  const names = build ? [PREFIX + build] : await ours();
  return (await find(address, names)) ?? fetch(request);
}

async function find(address, names) {
  for (const cacheName of names) {
    const found = await caches.match(address, { cacheName });
    if (found) return found;
  }
}
