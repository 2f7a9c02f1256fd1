import t from "tap";
import { forBrowsers, importedFrom, loadStaticFiles } from "./static-files.ts";
import { NO_API, openConsole, send } from "./test-console.ts";

t.test("the page - every file that it names exists, and it names every file", async (t) => {
  for (const base of ["/", "/a/console/"]) {
    const { files, index } = await loadStaticFiles(base);
    const html = String(index.plain.full.body);
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
    t.ok(named.length > 10);
    t.strictSame([...new Set(named)].sort(), [...files.keys()].sort());
    t.ok(named.every((path) => /^[0-9a-f]{16}\/./.test(path.slice(`${base}page/`.length))));
  }
});

t.test("the page - a file that nothing imports is not served", async (t) => {
  const script = (name: string, body: string) => ({ name, body });
  const scripts = [
    script("a/types.js", "export {};"),
    script("a/one.js", 'import { two } from "../two.js"; export { three } from"./three.js";'),
    script("a/three.js", 'import "./one.js"; const words = `from "here"`;'),
    script("main.js", 'import { one } from "./a/one.js";'),
    script("two.js", "export const two = 2;"),
  ];
  const names = importedFrom("main.js", scripts).map(({ name }) => name);
  t.strictSame(names, ["main.js", "a/one.js", "two.js", "a/three.js"], "the nearest first");
  const broken = [script("main.js", 'import { one } from "./gone.js";')];
  t.throws(() => importedFrom("main.js", broken), /main.js imports gone.js, which is not there/);
  const { files } = await loadStaticFiles("/");
  const served = [...files.keys()].join();
  t.match(served, "pages.js");
  t.notMatch(served, "console-routes.js", "which has only types");
});

t.test("the page - every import leads to a served file, relative to its own path", async (t) => {
  const { files } = await loadStaticFiles("/");
  for (const [path, { plain }] of files) {
    if (!path.endsWith(".js")) continue;
    const script = String(plain.full.body);
    for (const [, specifier = ""] of script.matchAll(/\b(?:from|import)\s*"([\w@./-]+)"/g)) {
      t.match(specifier, /^\.{1,2}\//, `${path} imports ${specifier}`);
      t.ok(files.has(new URL(specifier, `http://x${path}`).pathname), `${path} imports ${specifier}`);
    }
    // Dynamic imports are not served.
    t.notMatch(script, /sourceMappingURL|\beval\(|new Function\(|\bimport\(/, path);
  }
});

t.test("the page - nothing is inline, and nothing comes from another origin", async (t) => {
  const { files, index } = await loadStaticFiles("/");
  const html = String(index.plain.full.body);
  t.notMatch(html, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/);
  for (const [path, { plain }] of files) {
    if (path.endsWith(".css")) t.notMatch(String(plain.full.body), /@import|https?:/, path);
  }
});

t.test("the page - an import of an unserved package fails at the start", async (t) => {
  t.equal(
    forBrowsers("a/b/c.js", 'import { h } from "preact";'),
    'import { h } from "../../library/preact.js";',
  );
  t.equal(forBrowsers("main.js", 'import"preact/hooks";'), 'import"./library/preact-hooks.js";');
  t.throws(() => forBrowsers("main.js", 'import x from "left-pad";'), /left-pad, which is not served/);
});

t.test("over HTTP - every path of a screen gives the page, with its policy", async (t) => {
  const base = "/tools/console/";
  const { url } = await openConsole(t, { ...NO_API, STAMPEDE_CONSOLE_BASE_PATH: "tools/console" });
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
  const whole = { "content-security-policy": policy, "referrer-policy": "no-referrer" };
  const always = { "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin" };
  const icon = nameIn(page.text, "mark.svg");
  for (const path of [base, icon, `${base}page/none.js`, "/other"]) {
    t.match((await get(path)).headers, { ...whole, ...always }, `${path} can be opened alone`);
  }
  for (const path of [nameIn(page.text, "main.js"), nameIn(page.text, "style.css")]) {
    const { headers } = await get(path);
    t.match(headers, { ...always, "content-security-policy": undefined }, `${path} is a part of a page`);
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

t.test("over HTTP - files are compressed for clients that accept it, and sent once", async (t) => {
  const { url } = await openConsole(t, NO_API);
  const { origin } = new URL(url);
  const page = await send(url, "GET", {});
  const style = origin + nameIn(page.text, "style.css");
  const plain = await send(style, "GET", {});
  const lengths = [plain.headers["content-length"]];
  for (const [accepted, encoding] of Object.entries({ gzip: "gzip", "gzip, deflate, br": "br" })) {
    const zipped = await send(style, "GET", { "accept-encoding": accepted });
    t.equal(zipped.headers["content-encoding"], encoding);
    lengths.push(zipped.headers["content-length"]);
  }
  t.strictSame(
    lengths,
    lengths.toSorted((a, b) => Number(b) - Number(a)),
    "each is shorter than the one before",
  );
  t.match(
    plain.headers,
    { "cache-control": "max-age=31536000, immutable" },
    "and browsers never ask for it again",
  );
  const known = { "if-none-match": String(page.headers.etag) };
  t.match(await send(url, "GET", known), { status: 304, text: "" }, "but they ask for the page each time");
  t.equal(page.headers["cache-control"], "no-cache");
});

t.test("the page - a changed file has another name", async (t) => {
  const [one, other] = [await loadStaticFiles("/"), await loadStaticFiles("/")];
  t.strictSame([...one.files.keys()], [...other.files.keys()], "two processes agree about the names");
  const { url } = await openConsole(t, NO_API);
  const { origin } = new URL(url);
  const script = nameIn((await send(url, "GET", {})).text, "main.js");
  t.equal((await send(origin + script, "GET", {})).status, 200);
  const ofBefore = script.replace(/[0-9a-f]{16}/, "0123456789abcdef");
  t.equal((await send(origin + ofBefore, "GET", {})).status, 404, "a page never has files of two versions");
});

/** The path of a file in the HTML of the page. */
function nameIn(html: string, file: string): string {
  return new RegExp(`"([^"]*/${file})"`).exec(html)?.[1] ?? "";
}
