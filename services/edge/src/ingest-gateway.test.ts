import { JetStreamApiError } from "@nats-io/jetstream";
import { TimeoutError } from "@nats-io/transport-node";
import t from "tap";
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
      subscribe: (_subject: string, { callback }: { callback: typeof reply }) => {
        reply = callback;
        return { unsubscribe: () => {} };
      },
    },
    jetstream: { publish },
  } as unknown as Stream;
  const metrics = new Proxy({} as EdgeMetrics, { get: () => () => {} });
  const log = createLog({ service: "test", level: "fatal" });
  const batchIds = new BatchIds(new Uint8Array(32));
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
  const report = (part: object) => reply(null, { data: Buffer.from(JSON.stringify({ parts: [part] })) });
  return { gateway, submit, report, batch: () => batch, published: () => published };
}

const ORGANISATION = "01936f5e-0000-7000-8000-000000000000";
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
    report({ batch: batch(), first: 0, created: 1, updated: 0, unchanged: 0, rejected: [] });
    t.match(await answered, { kind: "processed", created: 1 });
    await waitFor(() => gateway.publishesInFlight === 0, { message: "it is published for ever" });
  },
);
