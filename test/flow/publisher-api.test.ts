import t from "tap";
import { makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

/**
 * What a caller sees of a request beside its route's work. What each route does, the tests beside `services/edge` say; who may
 * call it, `access.test.ts` and `isolation.test.ts`; malformed requests of every kind, `test/conformance`.
 */
let pipeline: Pipeline;
let client: PublisherClient;
t.before(async () => {
  pipeline = await startPipeline();
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
});
t.teardown(() => pipeline.stop());

t.test("a request for no route, one with many faults, and one that is nested too deep", async (t) => {
  t.match(await client.post("no/such", {}), { status: 404, body: { error: { code: "not_found" } } });
  const events = Array.from({ length: 163 }, () => makeEvent("m_01h455vb4pex5vsknk084sn02q", { bin: "4" }));
  const { status, body } = await client.ingest(events);
  t.equal(status, 400);
  t.equal(body.error.message, "/events/0/bin must match ^[0-9]{6,8}$, and 162 more");
  t.equal(body.error.data.issues_total, 163);
  const deep = `{"filters":[${'{"or":['.repeat(200_000)}${"]}".repeat(200_000)}]}`;
  t.match(await client.post("member-base/list", deep), {
    status: 400,
    body: { error: { data: { issues: [{ path: "", message: "is nested deeper than 64 levels" }] } } },
  });
});

t.test("the trace id of a traceparent is in the log line of its request", async () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  await client.post("member-base/list", {}, { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  const logged = () => pipeline.edge.output().includes(`"traceId":"${trace}"`);
  await waitFor(logged, { message: "no log line carries the trace id" });
});

t.test("the trace id of an ingest request is in the log line of the batch that took its events", async () => {
  const [member] = (await client.enrol("traced")) as [string];
  const answer = await client.ingest([makeEvent(member)]);
  const line = () =>
    pipeline.ingest
      .output()
      .split("\n")
      .find((text) => text.includes('"msg":"batch"') && text.includes(String(answer.headers["x-trace-id"])));
  await waitFor(line, { message: "ingest did not log the request's trace id" });
});
