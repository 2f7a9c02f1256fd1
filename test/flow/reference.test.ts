import t from "tap";
import { request } from "undici";
import { openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { PLATFORM_API } from "#contract/platform";
import { hasUws, REFERENCE_LABELS } from "#http";
import { type Pipeline, startPipeline } from "#test-support";

let pipeline: Pipeline;

t.before(async () => {
  pipeline = await startPipeline({ begin: [] });
});
t.teardown(() => pipeline.stop());

for (const [service, api] of [
  ["edge", PUBLISHER_API],
  ["platform", PLATFORM_API],
] as const) {
  for (const adapter of ["uws", "node"] as const) {
    const skip = adapter === "uws" && !hasUws() && "no binary of uWebSockets.js for this Node";
    const claim = `reference - of ${service} over ${adapter}, it is open to anyone, and nothing else answers GET`;
    t.test(claim, { skip }, async (t) => {
      const { url, ops } = await pipeline.start(service, { STAMPEDE_HTTP_ADAPTER: adapter });
      const get = async (path: string) => {
        const answer = await request(`${url}${path}`);
        return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
      };
      const document = await get("/openapi.json");
      t.equal(document.status, 200);
      t.equal(document.headers["content-type"], "application/json");
      t.equal(document.text, JSON.stringify(openApiDocument(api)));

      const page = await get("/docs");
      t.equal(page.status, 200);
      t.match(page.text, `<title>${api.title}</title>`);
      t.match(page.headers["content-security-policy"], /^default-src 'none';/);
      for (const [, path] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
        t.equal((await get(`/${path}`)).status, 200, String(path));
      }
      const root = await get("/");
      if (service === "platform") t.equal(root.status, 404);
      else t.match(root, { status: 302, headers: { location: "docs" } }, "the root leads here");
      for (const path of [
        "/docs/",
        "/docs/index.html",
        "/docs/swagger-ui-bundle.js.map",
        "/docs/../docs/x",
      ]) {
        t.equal((await get(path)).status, 404, path);
      }
      const names = Object.keys(api.routes);
      for (const route of names) {
        const answer = await get(api.prefix + route);
        t.equal(answer.status, 405, route);
        t.equal(answer.headers.allow, "POST");
      }
      const metrics = (await ops("/metrics")).body;
      for (const label of REFERENCE_LABELS) {
        const sample = `stampede_http_requests_total\\{route="${label}",code="ok",service="${service}"\\} [1-9]`;
        t.match(metrics, new RegExp(sample));
      }
      const routes = new Set([...metrics.matchAll(/route="([^"]+)"/g)].map((match) => match[1]));
      t.strictSame(routes, new Set([...names, ...REFERENCE_LABELS, "unknown"]));
    });
  }
}
