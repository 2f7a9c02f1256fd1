import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { packEvents, packMessage } from "#contract/codec";
import type { IngestReply } from "#contract/ingest";
import { type EventResult, UNKNOWN_MEMBER } from "#domain";
import type { StreamMessage } from "#nats";
import { createHashPool } from "./hash-pool.ts";
import { KnownKeys, NewKeys } from "./known-keys.ts";
import { collectReplies } from "./report.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const BATCHES = 5_000;
/** One more event than the calling thread prepares itself. */
const EVENTS = LIMITS.rowsAtOnce + 1;
/** The memory of the most keys of two organisations: a key takes 256 characters and some 56 bytes. */
const BYTES_OF_TWO = 2 * LIMITS.knownKeysPerOrganisation * (LIMITS.refLength + 64);
/** The report of one rejected event and two parts. */
const REPORT_BYTES = 2048;
const LARGE = uuidv7();
const SMALL = uuidv7();

/** All events but the last are of one organisation, and the last is of another. */
function messageOf(batch: number): StreamMessage {
  const events = Array.from({ length: EVENTS }, (_, at) => ({
    member_id: "m_01jt7a8pvcfnp9z85hr79f9z86",
    external_id: String(batch * EVENTS + at).padStart(LIMITS.refLength, "0"),
    auth_code: "A1",
    network: "visa" as const,
    bin: "411111",
    merchant_id: "M1",
    authed_at: "2026-05-01T10:00:00Z",
  }));
  const head = { batch: uuidv7(), awaited: true };
  const parts = [
    { ...head, organisation: LARGE, events: EVENTS - 1 },
    { ...head, organisation: SMALL, events: 1 },
  ];
  const data = packMessage({ reply: "", parts }, [packEvents(events, [...events.keys()]).bytes]);
  const facts = { rows: EVENTS, traceIds: "", traceparent: "" };
  return { subject: "test", partition: 0, sequence: 1, data, storedAtMs: 0, ...facts };
}

function usedBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

t.test(
  "known keys - remembered keys and reports do not keep the texts of their batch in memory",
  async (t) => {
    const pool = createHashPool(1, "test", () => {});
    t.teardown(() => pool.close());
    const keys = new KnownKeys();
    for (const organisation of [LARGE, SMALL]) keys.learn(organisation, null);
    const waiting: IngestReply[][] = [];
    const before = usedBytes();
    for (let batch = 0; batch < BATCHES; batch++) {
      const message = messageOf(batch);
      const prepared = await pool.prepare([message]);
      new NewKeys(prepared, [keys]).committed();
      const outcomes = new Array<EventResult | undefined>(EVENTS)
        .fill(undefined, 1)
        .fill(UNKNOWN_MEMBER, 0, 1);
      waiting.push(collectReplies(prepared, outcomes));
    }
    const grown = usedBytes() - before;
    t.notOk(
      keys.isNew(SMALL, String(BATCHES * EVENTS - 1).padStart(LIMITS.refLength, "0")),
      "it is remembered",
    );
    t.equal(waiting.length, BATCHES);
    t.ok(
      grown < keys.bytes * 1.5 + BATCHES * REPORT_BYTES,
      `${grown} bytes for ${keys.bytes} that are counted`,
    );
    t.ok(keys.bytes < BYTES_OF_TWO, `${keys.bytes} bytes are counted`);
  },
);
