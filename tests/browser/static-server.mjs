// Serves a folder on 127.0.0.1, as a static host would; for browser tests and pictures.
// As a program: node static-server.mjs [FOLDER] [PORT]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The built page. */
export const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".toml": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/** Starts a server; gives `{ url, close }`. Port 0 takes any free one; `base` is the page's folder. */
export async function serve(folder = DIST, port = 0, base = "/") {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://127.0.0.1").pathname);
    const below = path.slice(base.length);
    const file = normalize(join(folder, path.endsWith("/") ? `${below}index.html` : below));
    try {
      if (!path.startsWith(base)) throw new Error("not ours");
      if (!file.startsWith(normalize(folder + sep))) throw new Error("outside");
      const body = await readFile(file);
      response.writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        "cache-control": "no-cache",
      });
      response.end(body);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("not found\n");
    }
  });
  await new Promise((done, failed) => server.once("error", failed).listen(port, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}${base}`;
  return { url, close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = DIST, port = "8081"] = process.argv.slice(2);
  console.log((await serve(folder, Number(port))).url);
}
