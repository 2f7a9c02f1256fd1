import { JetStreamApiError } from "@nats-io/jetstream";
import type { TransactionEvent } from "#contract";
import { EventReader, type IngestHead } from "#contract/codec";
import type { PartKey } from "#contract/ingest";
import type { Publication, Stream } from "#nats";
import { createLog, Progress } from "#runtime";
import type { EdgeMetrics } from "../metrics.ts";
import { BatchIds } from "./batch-ids.ts";
import { IngestGateway } from "./ingest-gateway.ts";
import type { SubmissionResult } from "./ingest-request.ts";

/** The stream's answer to a publish. Without `seq`, the sequence is the number of the publish. */
export type Said = { readonly duplicate: boolean; readonly seq?: number } | Error;

export const STORED: Said = { duplicate: false };
/** When all streams were created. */
export const STREAM_CREATED = "2026-05-01T10:00:00.123456789Z";
/** When their replacements were created. */
export const REMADE = "2026-05-02T10:00:00Z";
export const FULL: Said = apiError(10077, "maximum bytes exceeded");

export function apiError(err_code: number, description: string): JetStreamApiError {
  return new JetStreamApiError({ code: 503, err_code, description });
}

/** One publish. */
export interface Published {
  readonly partition: number;
  readonly id: string;
  readonly message: IngestHead;
  /** The places of its events in their requests. */
  readonly indexes: readonly number[];
}

/** Decides the answer to each publish. */
export type Speak = (published: Published, count: number) => Said | Promise<Said>;

const ORGANISATION = "01936f5e-0000-7000-8000-000000000000";
export const EVENT: TransactionEvent = {
  member_id: "m",
  external_id: "e",
  auth_code: "A1",
  network: "visa",
  bin: "411111",
  merchant_id: "M1",
  authed_at: "2026-05-01T10:00:00Z",
};

function readMessage(payload: Uint8Array): Pick<Published, "message" | "indexes"> {
  const reader = new EventReader(payload);
  const indexes: number[] = [];
  while (!reader.isAtEnd) {
    reader.next();
    indexes.push(reader.index);
  }
  return { message: reader.head, indexes };
}

/** Gives these answers one after the other, and then repeats the last one. */
export function inTurn(...said: Said[]): Speak {
  return (_, count) => said[Math.min(count, said.length) - 1] as Said;
}

/** A gateway whose stream is a function. */
export function testGateway(speak: Speak, partitions = 1) {
  const published: Published[] = [];
  const refusedAtOnce: string[] = [];
  let isConnected = true;
  let streamCreated = STREAM_CREATED;
  const asked: (() => Promise<void>)[] = [];
  let reply: (error: null, message: { data: Uint8Array }) => void = () => {};
  const publish = async ({ subject, payload, id }: Publication) => {
    const one = { partition: Number(subject.split(".").at(-1)), id, ...readMessage(payload as Uint8Array) };
    published.push(one);
    const said = await speak(one, published.length);
    if (said instanceof Error) throw said;
    return { seq: published.length, ...said };
  };
  const listeners = new Set<(connected: boolean) => void>();
  const stream = {
    prefix: "",
    progress: new Progress(),
    connected: () => isConnected,
    onConnection: (listener: (connected: boolean) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    heard: () => {},
    unheard: () => {},
    nats: {
      subscribe: (_subject: string, { callback }: { callback: typeof reply }) => {
        reply = callback;
        return { unsubscribe: () => {} };
      },
    },
    publisher: { publish },
    manager: {
      streams: {
        info: async () => {
          await asked.shift()?.();
          return { created: streamCreated, state: { messages: 0, last_seq: 0 }, config: { max_bytes: -1 } };
        },
      },
    },
  } as unknown as Stream;
  const metrics = {
    published: () => {},
    outcomeWaited: () => {},
    backpressure: (reason: string) => refusedAtOnce.push(reason),
  } as unknown as EdgeMetrics;
  const log = createLog({ service: "test", level: "fatal" });
  const batchIds = new BatchIds(new Uint8Array(32), () => new Date());
  const gateway = new IngestGateway({ stream, partitions, metrics, log, batchIds });
  return {
    gateway,
    published,
    refusedAtOnce,
    /** The batch of the first part in the last publish. */
    batch: () => published.at(-1)?.message.parts[0]?.batch,
    /** The first index of each publish. */
    firsts: () => published.map(({ indexes }) => indexes[0]),
    async submit(
      awaited = false,
      events: readonly TransactionEvent[] = [EVENT],
      detailed = false,
    ): Promise<SubmissionResult> {
      const facts = { organisation: ORGANISATION, traceId: "t", traceparent: undefined };
      const request = { ...facts, events, awaited, detailed };
      return (await gateway.submit(request)).outcome;
    },
    report: (...parts: object[]) => reply(null, { data: Buffer.from(JSON.stringify({ parts })) }),
    /** Reports parts of a message whose callers do not wait. */
    commit: (...committed: PartKey[]) =>
      reply(null, { data: Buffer.from(JSON.stringify({ parts: [], committed })) }),
    /** Replaces each stream without a notice. */
    remake() {
      streamCreated = REMADE;
    },
    /** Runs before the stream answers when it was created, once for each answer. */
    asked,
    connect(now: boolean) {
      isConnected = now;
      for (const listener of listeners) listener(now);
    },
  };
}

/** Ingest's report on a part. */
export function outcomeOf(batch: string | undefined, changes: object = {}) {
  const counts = { created: 1, updated: 0, unchanged: 0 };
  return { batch, first: 0, ...counts, rejected: [], ignored: [], ignoredCount: 0, ...changes };
}

/** Resolves once everything that is sent in this turn of the event loop has been sent. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));
