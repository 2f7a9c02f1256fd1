import t from "tap";
import { REFERENCE_LABELS, referencePages } from "./reference-pages.ts";

const DOCUMENT = { openapi: "3.1.0", info: { title: "Test" } };

t.test("reference - the page, its parts and the document, and nothing else", async (t) => {
  const pages = await referencePages(DOCUMENT, "Test");
  t.strictSame([...pages.keys()].sort(), [
    "/docs",
    "/docs/favicon-32x32.png",
    "/docs/start.js",
    "/docs/swagger-ui-bundle.js",
    "/docs/swagger-ui.css",
    "/openapi.json",
  ]);
  t.strictSame(new Set([...pages.values()].map(({ label }) => label)), new Set(REFERENCE_LABELS));
  const document = pages.get("/openapi.json")?.plain.full;
  t.strictSame(JSON.parse(String(document?.body)), DOCUMENT);
  t.equal(document?.headers?.["content-type"], "application/json");
});

t.test(
  "reference - everything that the page loads is served, and nothing of it names another host",
  async (t) => {
    const pages = await referencePages(DOCUMENT, "Test");
    const html = String(pages.get("/docs")?.plain.full.body);
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
    t.equal(loaded.length, 4);
    for (const path of loaded) t.ok(pages.has(`/${path}`), path);
    t.notMatch(html, /<script(?![^>]* src=)|style=|<style|\son\w+=|https?:/, "nothing inline");
    for (const [path, { plain }] of pages) t.notMatch(String(plain.full.body), "sourceMappingURL", path);
  },
);

t.test("reference - every page is under the same strict policy", async (t) => {
  const pages = await referencePages(DOCUMENT, "Test");
  for (const [path, { plain, gzipped, brotli }] of pages) {
    for (const { full } of [plain, await gzipped(), await brotli()]) {
      const policy = full.headers?.["content-security-policy"] as string;
      t.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/, path);
      t.notMatch(policy, /unsafe|\*|https?:/);
      t.match(full.headers, { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    }
  }
});

t.test("reference - two services that start alike give it the same tag", async (t) => {
  const [one, other] = [await referencePages(DOCUMENT, "Test"), await referencePages(DOCUMENT, "Test")];
  for (const [path, page] of one) t.equal(page.plain.etag, other.get(path)?.plain.etag, path);
  const changed = await referencePages({ ...DOCUMENT, openapi: "3.1.1" }, "Test");
  t.not(changed.get("/openapi.json")?.plain.etag, one.get("/openapi.json")?.plain.etag);
});
