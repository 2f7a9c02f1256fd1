import type { Test } from "tap";
import { uuidv7 } from "uuidv7";
import { packEvents, packMessage } from "#contract/codec";
import type { StreamMessage } from "#nats";
import { explainingStore } from "#test-support";
import { makeAuthorization, openIngest } from "../test-ingest.ts";
import { applyEvents } from "./apply-events.ts";
import { BatchCommitter } from "./commit-batch.ts";
import { prepareBatch } from "./prepare-batch.ts";

const KEY = "test";

/** An event, as a test writes it. */
export interface Drafted {
  readonly ref: string;
  readonly member?: string;
  readonly clearedAt?: string;
  readonly revertedAt?: string;
  readonly authCode?: string;
  readonly amount?: number;
}

/**
 * @param options.held the number of messages in the stream when its partition was first taken over in this
 * database server
 */
export async function setUp(t: Test, { held = 0, sinceMs = 0 } = {}) {
  const { store, stream, organisationId, memberId, lost, newPositions } = await openIngest(t, 1);
  const statements: string[] = [];
  const counts = { contradicted: 0 };
  /** A new process, which knows nothing of those before it. */
  const own = async () => {
    const positions = newPositions();
    await positions.takeOver(0);
    const committer = new BatchCommitter({
      store: explainingStore(store, statements),
      stream,
      positions,
      metrics: { contradicted: () => void counts.contradicted++ },
      now: () => new Date(),
    });
    return { positions, committer };
  };
  let owner = await own();
  if (held > 0) {
    await store`update ingest_positions set replay_through = ${held}, replay_since = ${sinceMs}, replay_order = 0`;
    owner = await own();
  }

  let sequence = 0;
  let published = 0;
  const toMessage = (
    drafts: readonly Drafted[],
    awaited: boolean,
    batch: string,
    storedAtMs = 0,
  ): StreamMessage => {
    const events = drafts.map(({ ref, member = memberId, clearedAt, revertedAt, authCode, amount }) =>
      makeAuthorization(member, ref, {
        ...(authCode !== undefined && { auth_code: authCode }),
        ...(clearedAt !== undefined && { cleared_at: clearedAt }),
        ...(revertedAt !== undefined && { reverted_at: revertedAt }),
        ...(amount !== undefined && { amount }),
      }),
    );
    const { bytes } = packEvents(events, [...events.keys()]);
    const part = { batch, organisation: organisationId, awaited, events: events.length };
    const data = packMessage({ reply: "", parts: [part] }, [bytes]);
    const facts = { rows: events.length, traceIds: "", traceparent: "" };
    return { subject: "test", partition: 0, sequence: ++sequence, data, storedAtMs, ...facts };
  };
  const prepare = (messages: readonly StreamMessage[]) =>
    prepareBatch({ messages: messages.map(({ data }) => data), key: KEY });
  const commitAll = async (...messages: StreamMessage[]) =>
    owner.committer.commit({
      messages,
      marks: owner.positions.mark(messages),
      prepared: prepare(messages),
      traceparent: undefined,
    });
  /** Commits one message; returns the kinds of its outcomes. */
  const commit = async (drafts: readonly Drafted[], awaited = true, batch = uuidv7()) => {
    statements.length = 0;
    const applied = await commitAll(toMessage(drafts, awaited, batch));
    return applied.outcomes.map((one) => (one?.kind === "rejected" ? one.rejection.reason : one?.kind));
  };
  /** Stores events as another process; this owner does not know of them. */
  const storeBeside = (drafts: readonly Drafted[]) => {
    const { events } = prepare([toMessage(drafts, true, uuidv7())]);
    sequence--;
    return store.begin((sql) => applyEvents(sql, events));
  };
  const stored = async () => {
    const rows = await store<{ ref: string }[]>`select external_id as ref from transactions order by 1`;
    return rows.map(({ ref }) => ref);
  };
  const position = async () => {
    const [row] = await store<
      { applied: number }[]
    >`select applied from ingest_positions where partition = 0`;
    return row?.applied;
  };
  /** External ids of the rejected events in the table, in their order. */
  const rejected = async () => {
    const rows = await store<{ ref: string }[]>`
      select external_id as ref from transaction_rejections where rejected is null order by id`;
    return rows.map(({ ref }) => ref);
  };
  /**
   * Takes over as another process, as after a kill. The stream holds as many messages as were made; their
   * content does not matter.
   */
  const takesOver = async () => {
    for (; published < sequence; published++)
      await stream.jetstream.publish(`${stream.prefix}ingest.0`, "{}");
    await store`update ingest_positions set stored_at = null`;
    owner = await own();
  };
  /** How often the last batch read members without writing. */
  const looks = () => statements.filter((plan) => /Function Scan on wanted/.test(plan)).length;
  return {
    store,
    takesOver,
    counts,
    lost,
    toMessage,
    commitAll,
    commit,
    storeBeside,
    stored,
    position,
    rejected,
    looks,
    statements,
  };
}
