import { readFileSync } from "node:fs";
import t from "tap";
import { hasUws } from "#http";
import {
  makeEvent,
  type Pipeline,
  PublisherClient,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";

/**
 * Claims about a request before it reaches its route, over both HTTP adapters; and two about a request's events. What each
 * route does, the tests beside `services/edge` say; who may call it, `access.test.ts` and `isolation.test.ts`.
 */
let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());

for (const adapter of ["uws", "node"] as const) {
  const skip = adapter === "uws" && !hasUws() && "no binary of uWebSockets.js for this Node";
  t.test(`publisher API over ${adapter}`, { skip }, async (t) => {
    let edge: ServiceProcess;
    let client: PublisherClient;
    t.before(async () => {
      edge = await pipeline.start("edge", { STAMPEDE_HTTP_ADAPTER: adapter });
      client = new PublisherClient(edge.url, pipeline.publisher.token);
    });

    t.test("a request without a valid token is 401, for each fault of a token", async (t) => {
      const wrong = [
        undefined,
        "",
        "nonsense",
        `${pipeline.publisher.token}x`,
        pipeline.publisher.token.slice(0, -1),
      ];
      for (const token of [...wrong, "stp_live_0000000000000000000000000000000000000000000000000"]) {
        const answer = await new PublisherClient(edge.url, token).post("member-base/list", {});
        t.match(answer, {
          status: 401,
          headers: { "www-authenticate": "Bearer" },
          body: { error: { code: "authentication_error", data: {} } },
        });
        t.equal(answer.headers["x-trace-id"], answer.body.error.trace_id);
      }
    });

    t.test("an invalid request is refused with the place of the fault", async (t) => {
      t.match(await client.post("no/such", {}), { status: 404, body: { error: { code: "not_found" } } });
      t.match(await client.post("member-base/list", "{"), {
        status: 400,
        body: { error: { code: "bad_request" } },
      });
      t.match(await client.post("member-base/list", "[]"), { status: 400 });
      t.match(await client.post("member-base/list", { filter: [] }), {
        status: 400,
        body: { error: { data: { issues: [{ path: "/filter", message: "is not a known field" }] } } },
      });
      const events = Array.from({ length: 163 }, () =>
        makeEvent("m_01h455vb4pex5vsknk084sn02q", { bin: "4" }),
      );
      const { status, body } = await client.ingest(events);
      t.equal(status, 400);
      t.equal(body.error.message, "/events/0/bin must match ^[0-9]{6,8}$, and 162 more");
      t.equal(body.error.data.issues.length, 100);
      t.equal(body.error.data.issues[99].path, "/events/99/bin");
      t.equal(body.error.data.issues_total, 163);
      t.match(await client.post("member-base/list", "{}", { "content-type": "text/plain" }), {
        status: 415,
        body: { error: { code: "unsupported_media_type" } },
      });
    });

    t.test(
      "the trace id of a traceparent comes back, is in the log line, and is made up otherwise",
      async (t) => {
        const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        const answer = await client.post(
          "member-base/list",
          {},
          { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
        );
        t.equal(answer.headers["x-trace-id"], trace);
        const logged = () => edge.output().includes(`"traceId":"${trace}"`);
        t.ok(await waitFor(logged, { message: "no log line carries the trace id" }));
        t.match((await client.post("member-base/list", {})).headers["x-trace-id"], /^[0-9a-f]{32}$/);
      },
    );
  });
}

t.test("publisher API - events", async (t) => {
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);

  t.test(
    "the trace id of an ingest request is in the log line of the batch that took its events",
    async (t) => {
      const [member] = (await client.enrol("traced")) as [string];
      const answer = await client.ingest([makeEvent(member)]);
      const line = () =>
        pipeline.ingest
          .output()
          .split("\n")
          .find(
            (text) => text.includes('"msg":"batch"') && text.includes(String(answer.headers["x-trace-id"])),
          );
      t.ok(await waitFor(line, { message: "ingest did not log the request's trace id" }));
    },
  );

  t.test("identifiers are those of the published vectors", async (t) => {
    const file = new URL("../../../test/vectors/transaction-identifiers.json", import.meta.url);
    const { vectors } = JSON.parse(readFileSync(file, "utf8"));
    const [member] = (await client.enrol("vectors")) as [string];
    for (const { identifiers, ...card } of vectors) {
      const event = makeEvent(member, card);
      t.match(await client.ingest([event]), { status: 200 });
      const stored = await client.post("transaction/get", { external_id: event.external_id });
      t.strictSame(stored.body.identifiers, identifiers);
    }
  });
});
