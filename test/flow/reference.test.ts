import t from "tap";
import { request } from "undici";
import { openApiDocument, PUBLISHER_PREFIX, ROUTES } from "#contract";
import { hasUws, REFERENCE_LABELS } from "#http";
import { type Pipeline, startPipeline } from "#test-support";

let pipeline: Pipeline;

t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());

for (const adapter of ["uws", "node"] as const) {
  const skip = adapter === "uws" && !hasUws() && "no binary of uWebSockets.js for this Node";
  t.test(
    `reference - over ${adapter}, it is open to anyone, and nothing else answers GET`,
    { skip },
    async (t) => {
      const edge = await pipeline.start("edge", { STAMPEDE_HTTP_ADAPTER: adapter });
      const get = async (path: string) => {
        const answer = await request(`${edge.url}${path}`);
        return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
      };
      const document = await get("/openapi.json");
      t.equal(document.status, 200);
      t.equal(document.headers["content-type"], "application/json");
      t.equal(document.text, JSON.stringify(openApiDocument()));

      const page = await get("/docs");
      t.equal(page.status, 200);
      t.match(page.headers["content-security-policy"], /^default-src 'none';/);
      for (const [, path] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
        t.equal((await get(`/${path}`)).status, 200, String(path));
      }
      for (const path of [
        "/",
        "/docs/",
        "/docs/index.html",
        "/docs/swagger-ui-bundle.js.map",
        "/docs/../docs/x",
      ]) {
        t.equal((await get(path)).status, 404, path);
      }
      for (const route of Object.keys(ROUTES)) {
        const answer = await get(PUBLISHER_PREFIX + route);
        t.equal(answer.status, 405, route);
        t.equal(answer.headers.allow, "POST");
      }
      const metrics = (await edge.ops("/metrics")).body;
      for (const label of REFERENCE_LABELS) {
        t.match(
          metrics,
          new RegExp(`stampede_http_requests_total\\{route="${label}",code="ok",service="edge"\\} [1-9]`),
        );
      }
      const routes = new Set([...metrics.matchAll(/route="([^"]+)"/g)].map((match) => match[1]));
      t.strictSame(routes, new Set([...Object.keys(ROUTES), ...REFERENCE_LABELS, "unknown"]));
    },
  );
}
