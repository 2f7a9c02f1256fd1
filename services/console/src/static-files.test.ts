import t from "tap";
import { forBrowsers, loadStaticFiles } from "./static-files.ts";
import { openConsole, send } from "./test-console.ts";

/** All that one visit fetches, compressed, with some 200 bytes of headers for each answer. */
const WIRE_BYTES_MAX = 150 * 1024;
const HEADER_BYTES = 200;

t.test("the page - everything that it names is there, and all of it is small", async (t) => {
  for (const base of ["/", "/a/console/"]) {
    const { files, index } = await loadStaticFiles(base);
    const html = String(index.plain.full.body);
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
    t.ok(named.length > 10);
    for (const path of named) t.ok(files.has(path), path);
    const wire = [...files.values(), index].reduce(
      (sum, { gzipped }) => sum + gzipped.full.body.length + HEADER_BYTES,
      0,
    );
    t.comment(`${files.size + 1} files, ${wire} bytes on the wire`);
    t.ok(wire < WIRE_BYTES_MAX, `${wire} bytes`);
  }
});

t.test("the page - every import leads to a file that is served, relative to where it stands", async (t) => {
  const { files } = await loadStaticFiles("/");
  for (const [path, { plain }] of files) {
    if (!path.endsWith(".js")) continue;
    const script = String(plain.full.body);
    for (const [, specifier = ""] of script.matchAll(/\b(?:from|import)\s*"([\w@./-]+)"/g)) {
      t.match(specifier, /^\.{1,2}\//, `${path} imports ${specifier}`);
      t.ok(files.has(new URL(specifier, `http://x${path}`).pathname), `${path} imports ${specifier}`);
    }
    t.notMatch(script, /sourceMappingURL|\beval\(|new Function\(/, path);
  }
});

t.test("the page - nothing is inline, and nothing is from elsewhere", async (t) => {
  const { files, index } = await loadStaticFiles("/");
  const html = String(index.plain.full.body);
  t.notMatch(html, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/);
  for (const [path, { plain }] of files) {
    if (path.endsWith(".css")) t.notMatch(String(plain.full.body), /@import|https?:/, path);
  }
});

t.test("the page - a package that is not served is noticed at the start", async (t) => {
  t.equal(
    forBrowsers("a/b/c.js", 'import { h } from "preact";'),
    'import { h } from "../../library/preact.js";',
  );
  t.equal(forBrowsers("main.js", 'import"preact/hooks";'), 'import"./library/preact-hooks.js";');
  t.throws(() => forBrowsers("main.js", 'import x from "left-pad";'), /left-pad, which is not served/);
});

t.test("over HTTP - a screen is the page whatever its path, and has its policy", async (t) => {
  const base = "/tools/console/";
  const { url } = await openConsole(t, { STAMPEDE_CONSOLE_BASE_PATH: "tools/console" });
  t.equal(new URL(url).pathname, base);
  const { origin } = new URL(url);
  const get = (path: string, headers: Record<string, string> = {}) => send(origin + path, "GET", headers);
  const page = await get(base);
  t.match(page, { status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
  for (const path of ["live", "purchase/INV.2024.1", "purchase/a%2Fb", "nothing/there"]) {
    t.equal((await get(base + path)).text, page.text, path);
  }
  const policy = String(page.headers["content-security-policy"]);
  t.match(
    policy,
    /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;/,
  );
  t.match(policy, /base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
  t.notMatch(policy, /unsafe|\*|https?:/);
  for (const path of [
    base,
    `${base}page/main.js`,
    `${base}page/frame/base.css`,
    `${base}page/none.js`,
    "/other",
  ]) {
    const { headers } = await get(path);
    t.match(headers, { "content-security-policy": policy, "x-content-type-options": "nosniff" }, path);
    t.match(
      headers,
      { "referrer-policy": "no-referrer", "cross-origin-resource-policy": "same-origin" },
      path,
    );
  }
  t.match(await get(base.slice(0, -1)), { status: 308, headers: { location: base } });
  for (const path of [
    "/",
    "/live",
    `${base}page/none.js`,
    `${base}api/session`,
    `${base}page/../../../package.json`,
  ]) {
    t.equal((await get(path)).status, 404, path);
  }
});

t.test("over HTTP - files are compressed for those who can read that, and sent once", async (t) => {
  const { url } = await openConsole(t);
  const plain = await send(`${url}page/frame/base.css`, "GET", {});
  const zipped = await send(`${url}page/frame/base.css`, "GET", { "accept-encoding": "gzip" });
  t.equal(zipped.headers["content-encoding"], "gzip");
  t.ok(Number(zipped.headers["content-length"]) < Number(plain.headers["content-length"]));
  const etag = String(zipped.headers.etag);
  const again = await send(`${url}page/frame/base.css`, "GET", {
    "accept-encoding": "gzip",
    "if-none-match": etag,
  });
  t.match(again, { status: 304, text: "" });
});
