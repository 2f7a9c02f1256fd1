import { JetStreamApiError } from "@nats-io/jetstream";
import { TimeoutError } from "@nats-io/transport-node";
import t from "tap";
import { type IngestConfirmation, LIMITS } from "#contract";
import { createLog } from "#runtime";
import type { Stream } from "#stream";
import { waitFor } from "#test-support";
import { BatchIds } from "./batch-ids.ts";
import { IngestGateway } from "./ingest-gateway.ts";
import type { EdgeMetrics } from "./metrics.ts";

/** What JetStream's client gives or throws for one publish. */
type Said = { readonly duplicate: boolean } | Error;

/** A gateway whose stream says these things, one after the other, and the last one for ever. */
function setUp(...said: Said[]) {
  let published = 0;
  const confirmed: { subject: string; body: IngestConfirmation }[] = [];
  let reply: (error: null, message: { data: Uint8Array }) => void = () => {};
  let batch: string | undefined;
  const publish = async (_subject: string, payload: Uint8Array) => {
    batch = /"batch":"([^"]+)"/.exec(Buffer.from(payload).toString())?.[1];
    const one = said[Math.min(published++, said.length - 1)] as Said;
    if (one instanceof Error) throw one;
    return one;
  };
  const stream = {
    prefix: "",
    connected: () => true,
    onConnection: () => () => {},
    heard: () => {},
    unheard: () => {},
    nats: {
      publish: (subject: string, text: string) => confirmed.push({ subject, body: JSON.parse(text) }),
      subscribe: (_subject: string, { callback }: { callback: typeof reply }) => {
        reply = callback;
        return { unsubscribe: () => {} };
      },
    },
    jetstream: { publish },
  } as unknown as Stream;
  const metrics = new Proxy({} as EdgeMetrics, { get: () => () => {} });
  const log = createLog({ service: "test", level: "fatal" });
  const batchIds = new BatchIds(new Uint8Array(32), () => new Date());
  const gateway = new IngestGateway({ stream, partitions: 1, metrics, log, batchIds });
  const event = { member_id: "m", external_id: "e" } as never;
  const submit = async (awaited = false) => {
    const submission = {
      organisation: ORGANISATION,
      traceId: "t",
      traceparent: undefined,
      events: [event],
      awaited,
    };
    return (await gateway.submit(submission)).outcome;
  };
  const report = (confirm: string, ...parts: object[]) =>
    reply(null, { data: Buffer.from(JSON.stringify({ confirm, parts })) });
  return { gateway, submit, report, confirmed, batch: () => batch, published: () => published };
}

const ORGANISATION = "01936f5e-0000-7000-8000-000000000000";
const REJECTED = { index: 0, externalId: "e", code: "not_found", reason: "not_found" };

function outcomeOf(batch: string | undefined, changes: object = {}) {
  const counts = { created: 1, updated: 0, unchanged: 0 };
  return { batch, first: 0, ...counts, rejected: [], ignored: [], ignoredCount: 0, ...changes };
}

const full = new JetStreamApiError({ code: 503, err_code: 10077, description: "maximum bytes exceeded" });

t.test("gateway - what was unknown once is not refused: it may be stored", async (t) => {
  const { submit, published } = setUp(new TimeoutError(), full, { duplicate: true });
  t.strictSame(await submit(), { kind: "accepted" });
  t.equal(published(), 3);
});

t.test("gateway - a first no is a refusal", async (t) => {
  const { submit, published } = setUp(full);
  t.match(await submit(), { kind: "refused", reason: "stream_full" });
  t.equal(published(), 1);
});

t.test(
  "gateway - whose caller knows the outcome is not published again, behind what comes next",
  async (t) => {
    const { gateway, submit, report, batch } = setUp(new TimeoutError());
    const answered = submit(true);
    await waitFor(() => batch() !== undefined, { message: "nothing is published" });
    report("", outcomeOf(batch()));
    t.match(await answered, { kind: "processed", created: 1 });
    await waitFor(() => gateway.publishesInFlight === 0, { message: "it is published for ever" });
  },
);

/** A gateway with one request that waits for its outcome. */
async function waiting() {
  const scene = setUp({ duplicate: false });
  const answered = scene.submit(true);
  await waitFor(() => scene.batch() !== undefined, { message: "nothing is published" });
  return { ...scene, answered, batch: scene.batch() as string };
}

/** What leaves in a turn of the event loop has left. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test("gateway - ingest hears that the caller was told, also when it reports again", async (t) => {
  const { answered, batch, report, confirmed } = await waiting();
  report("confirm.1", outcomeOf(batch, { created: 0, rejected: [REJECTED] }));
  t.match(await answered, { kind: "processed", rejected: [{ index: 0 }] });
  await turn();
  t.strictSame(confirmed.splice(0), [{ subject: "confirm.1", body: { told: [[batch, 0]], late: [] } }]);
  report("confirm.2", outcomeOf(batch));
  await turn();
  t.strictSame(
    confirmed,
    [{ subject: "confirm.2", body: { told: [[batch, 0]], late: [] } }],
    "the next owner of the partition does not tell webhooks what the caller knows",
  );
});

t.test("gateway - a part reported twice counts once and is confirmed to each who asks", async (t) => {
  const { answered, batch, report, confirmed } = await waiting();
  const half = outcomeOf(batch, { created: 0 });
  for (const confirm of ["confirm.1", "confirm.2", ""]) report(confirm, half);
  await turn();
  t.strictSame(confirmed, [], "nothing is known before the answer");
  report("confirm.2", outcomeOf(batch, { first: 7 }));
  t.match(await answered, { kind: "processed", created: 1 });
  await turn();
  const [first, second] = confirmed;
  t.equal(confirmed.length, 2, "one message each");
  t.strictSame(first, { subject: "confirm.1", body: { told: [[batch, 0]], late: [] } });
  const both = [0, 7].map((part) => [batch, part]);
  t.strictSame(second, { subject: "confirm.2", body: { told: both, late: [] } });
});

t.test("gateway - an outcome that came too late for the answer is late", async (t) => {
  const { submit, report, batch, confirmed } = setUp({ duplicate: false });
  t.strictSame(await submit(), { kind: "accepted" });
  report("confirm.1", outcomeOf(batch()), outcomeOf("01936f5e-0000-7000-8000-00000000dead"));
  await turn();
  const late = [
    [batch(), 0],
    ["01936f5e-0000-7000-8000-00000000dead", 0],
  ];
  t.strictSame(confirmed, [{ subject: "confirm.1", body: { told: [], late } }], "answered 202, and unknown");
});

t.test("gateway - of one request, a part that came in time is late with the one that did not", async (t) => {
  const { answered, gateway, batch, report, confirmed } = await waiting();
  report("confirm.1", outcomeOf(batch, { created: 0, rejected: [] }));
  t.strictSame(await answered, { kind: "accepted" });
  await turn();
  t.strictSame(confirmed, [{ subject: "confirm.1", body: { told: [], late: [[batch, 0]] } }]);
  gateway.close();
});

t.test("gateway - many confirmations are cut", async (t) => {
  const { report, confirmed } = setUp({ duplicate: false });
  const parts = Array.from({ length: LIMITS.partsPerConfirmation + 1 }, (_, n) =>
    outcomeOf("unknown", { first: n }),
  );
  report("confirm.1", ...parts);
  await turn();
  t.strictSame(
    confirmed.map(({ body }) => body.late.length),
    [LIMITS.partsPerConfirmation, 1],
  );
});

t.test(
  "gateway - what was ignored is told: the first hundred of all parts by index, and how many",
  async (t) => {
    const { answered, batch, report } = await waiting();
    const ignored = (first: number) =>
      Array.from({ length: 80 }, (_, n) => ({ index: first + n, externalId: `e${n}`, fields: ["amount"] }));
    report("", outcomeOf(batch, { created: 0, first: 500, ignored: ignored(500), ignoredCount: 80 }));
    report("", outcomeOf(batch, { created: 0, updated: 1, ignored: ignored(0), ignoredCount: 200 }));
    const outcome = await answered;
    if (outcome.kind !== "processed") return t.fail(outcome.kind);
    t.equal(outcome.ignoredCount, 280);
    t.strictSame(
      outcome.ignored.map(({ index }) => index),
      [...ignored(0), ...ignored(500).slice(0, 20)].map(({ index }) => index),
    );
  },
);
