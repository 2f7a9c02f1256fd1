import { randomUUID } from "node:crypto";
import { TimeoutError } from "@nats-io/nats-core";
import { configSubject, FLOW, type Hop } from "#contract";
import type { Settlement } from "#contract/ingest";
import type { ConfigMessage, Outcome, ProgramConfig } from "#contract/platform";
import { decodeId, encodeId, partitionOf } from "#domain";
import {
  connectStream,
  PublishError,
  publishOrThrow,
  readPartitions,
  readStreamState,
  type Stream,
  streamName,
  subjectName,
} from "#nats";
import { createLog } from "#runtime";
import { DISPLAY_CONTENT } from "./platform-fields.ts";
import type { Pipeline } from "./start-pipeline.ts";

/** The fields of a program in which tests differ. */
export type ProgramTerms = Pick<
  NonNullable<ProgramConfig["record"]>,
  "qualifying_threshold" | "reward_config" | "currency"
>;

/** A shared disk may be slow, so a message without an answer is published again, under the same id. */
const ATTEMPTS = 12;
const ANSWER_MS = 5_000;

/** The platform's end of its link to a pipeline, in the hands of a test. */
export class PlatformLink {
  readonly stream: Stream;
  readonly #pipeline: Pipeline;
  readonly #partitions: number;
  readonly #revisions = new Map<string, number>();
  /** For CONFIG: how far it was read, and which of these messages the database lacked at the last look. */
  #readTo = 0;
  readonly #unapplied = new Map<string, ConfigMessage>();

  static async open(pipeline: Pipeline): Promise<PlatformLink> {
    const log = createLog({ service: "test", level: "fatal" });
    const { natsUrl, streamPrefix, natsCaFile } = pipeline;
    const access = { natsCaFile };
    const stream = await connectStream({ url: natsUrl, name: "operator", prefix: streamPrefix, access, log });
    return new PlatformLink(pipeline, stream, await readPartitions(stream));
  }

  private constructor(pipeline: Pipeline, stream: Stream, partitions: number) {
    this.#pipeline = pipeline;
    this.stream = stream;
    this.#partitions = partitions;
  }

  /** Publishes a program, or the next revision of one; null removes it. Resolves to its id. */
  async configure(terms: ProgramTerms | null, id = encodeId("lp", randomUUID())): Promise<string> {
    const revision = (this.#revisions.get(id) ?? 0) + 1;
    this.#revisions.set(id, revision);
    const record = terms && { name: "program", display_content: DISPLAY_CONTENT, ...TIMES, ...terms };
    await this.#publish({ v: 1, kind: "loyalty-program", id, revision, record });
    return id;
  }

  /** Publishes a deal. Resolves to its id. */
  async offer(): Promise<string> {
    const id = encodeId("deal", randomUUID());
    const reward_config = { type: "percent", percent: 100 } as const;
    const record = { name: "deal", reward_config, display_content: DISPLAY_CONTENT, ...TIMES };
    await this.#publish({ v: 1, kind: "deal", id, revision: 1, record });
    return id;
  }

  #publish(message: ConfigMessage): Promise<void> {
    return untilAnswered(() => publishConfig(this.stream, message));
  }

  /** Sends one message of outcomes, to the partition of the first. Sending the same outcomes again makes another message. */
  async send(...outcomes: readonly Outcome[]): Promise<void> {
    const partition = partitionOf(outcomes[0]?.transaction_id ?? "", this.#partitions);
    await this.sendRaw(JSON.stringify({ v: 1, outcomes }), partition);
  }

  /** Sends a message of any content to a stream of outcomes; resolves to its sequence. */
  async sendRaw(payload: string | Uint8Array, partition = 0): Promise<number> {
    return this.#store(subjectName(this.stream, FLOW.outcomes, partition), payload);
  }

  /** Sends one message of settlements, as ingest does. */
  async settle(...settlements: readonly Settlement[]): Promise<void> {
    const payload = JSON.stringify({ v: 1, settlements });
    await this.#store(subjectName(this.stream, FLOW.settlement, 0), payload);
  }

  async #store(subject: string, payload: string | Uint8Array): Promise<number> {
    const msgID = randomUUID();
    const { jetstream } = this.stream;
    const { seq } = await untilAnswered(() =>
      jetstream.publish(subject, payload, { msgID, timeout: ANSWER_MS }),
    );
    return seq;
  }

  /** Whether every partition has a reader that waits for outcomes. */
  async isRequested(): Promise<boolean> {
    for (let partition = 0; partition < this.#partitions; partition++) {
      const name = streamName(this.stream, FLOW.outcomes, partition);
      const consumers = await this.stream.manager.consumers.list(name).next();
      if (!consumers.some(({ num_waiting }) => num_waiting > 0)) return false;
    }
    return true;
  }

  /** Whether all accepted and sent messages have been handled. */
  async isAtRest(): Promise<boolean> {
    // INGEST first: ingest still has to publish the settlements of its messages.
    for (const hop of [FLOW.ingest, FLOW.outcomes, FLOW.settlement]) {
      if (!(await this.isEmpty(hop))) return false;
    }
    return this.#isConfigApplied();
  }

  /** Whether all messages in a hop's streams are done: dropped, or kept behind the place in the database. */
  async isEmpty(hop: Hop): Promise<boolean> {
    for (let partition = 0; partition < this.#partitions; partition++) {
      // A node that was cut off answers from old data. A sure look costs more, so open messages are looked
      // for without one.
      for (const isSure of [false, true]) {
        const { messages, last } = await readStreamState(this.stream, hop, partition, isSure);
        if (messages > 0 && (await this.#doneOf(hop, partition)) < last) return false;
      }
    }
    return true;
  }

  async #doneOf(hop: Hop, partition: number): Promise<number> {
    const { store, platformStore } = this.#pipeline;
    const isOfPlatform = hop.consumer === "platform";
    const own = isOfPlatform ? platformStore : store;
    const table = own(isOfPlatform ? "platform.stream_places" : "stream_places");
    const [row] = hop.ordered
      ? await store<{ done: number }[]>`
          select published as done from ingest_positions where partition = ${partition}`
      : await own<{ done: number }[]>`
          select done from ${table} where hop = ${hop.stream} and partition = ${partition}`;
    return row?.done ?? 0;
  }

  /**
   * CONFIG keeps finished messages: the database says which are. A message that cannot be applied does not
   * count.
   */
  async #isConfigApplied(): Promise<boolean> {
    const { manager } = this.stream;
    const name = streamName(this.stream, FLOW.config);
    const { state } = await manager.streams.info(name);
    while (this.#readTo < state.last_seq) {
      const query = { seq: this.#readTo + 1, next_by_subj: ">" };
      const message = await manager.streams.getMessage(name, query);
      if (message === null) break;
      this.#readTo = message.seq;
      const config = message.json<ConfigMessage>();
      if (decodeId(config.kind === "deal" ? "deal" : "lp", config.id) === undefined) continue;
      this.#unapplied.set(config.id, config);
    }
    const { store } = this.#pipeline;
    for (const [id, { kind, revision }] of this.#unapplied) {
      const uuid = decodeId(kind === "deal" ? "deal" : "lp", id) as string;
      const rows =
        kind === "deal"
          ? await store`select from deals where id = ${uuid} and revision >= ${revision}`
          : await store`select from loyalty_programs where id = ${uuid} and revision >= ${revision}`;
      if (rows.length > 0) this.#unapplied.delete(id);
    }
    return this.#unapplied.size === 0;
  }

  close(): Promise<void> {
    return this.stream.close();
  }
}

/** Repeats a request without an answer. Only for requests that may be repeated. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const isUnanswered = error instanceof TimeoutError || error instanceof PublishError;
      if (!isUnanswered || attempt === ATTEMPTS) throw error;
    }
  }
}

const AT = "2026-03-01T10:00:00Z";
/** Purchases of tests have a fixed date, and members join later, when the test runs: so earlier purchases must count. */
const TIMES = { created_at: AT, updated_at: AT, retroactive: true };

/**
 * Publishes a program or deal as it is now, or its removal, over any message in the stream; the platform itself compares
 * first (`publishNewerConfig`). Repeating it after an attempt whose fate is unknown is harmless.
 * @throws PublishError unless the message is stored
 */
export function publishConfig(stream: Stream, message: ConfigMessage): Promise<void> {
  return publishOrThrow(stream, {
    subject: stream.prefix + configSubject(message),
    payload: JSON.stringify(message),
    id: `${message.kind}-${message.id}-${message.revision}`,
  });
}
