import { randomUUID } from "node:crypto";
import { TimeoutError } from "@nats-io/nats-core";
import { configSubject, FLOW } from "#contract";
import type { Settlement } from "#contract/ingest";
import type { ConfigMessage, Outcome, ProgramConfig } from "#contract/platform";
import { encodeId } from "#domain";
import {
  connectStream,
  PublishError,
  publishOrThrow,
  readPartitions,
  type Stream,
  streamName,
  subjectName,
} from "#nats";
import { createLog } from "#runtime";
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
  readonly #revisions = new Map<string, number>();
  #partitions: number | undefined;

  static async open(pipeline: Pipeline): Promise<PlatformLink> {
    const log = createLog({ service: "test", level: "fatal" });
    const { natsUrl, streamPrefix, natsCaFile } = pipeline;
    const access = { natsCaFile };
    return new PlatformLink(
      await connectStream({ url: natsUrl, name: "operator", prefix: streamPrefix, access, log }),
    );
  }

  private constructor(stream: Stream) {
    this.stream = stream;
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
    const reward_config = { type: "fixed", amount: 100, currency: "EUR" } as const;
    const record = { name: "deal", reward_config, display_content: DISPLAY_CONTENT, ...TIMES };
    await this.#publish({ v: 1, kind: "deal", id, revision: 1, record });
    return id;
  }

  #publish(message: ConfigMessage): Promise<void> {
    return untilAnswered(() => publishConfig(this.stream, message));
  }

  /** Sends one message of outcomes. Sending the same outcomes again makes another message. */
  async send(...outcomes: readonly Outcome[]): Promise<void> {
    await this.sendRaw(JSON.stringify({ v: 1, outcomes }));
  }

  /** Sends a message of any content to the stream of outcomes; resolves to its sequence. */
  async sendRaw(payload: string | Uint8Array): Promise<number> {
    return this.#store(subjectName(this.stream, FLOW.outcomes), payload);
  }

  /** Sends one message of settlements, as ingest does. */
  async settle(...settlements: readonly Settlement[]): Promise<void> {
    const payload = JSON.stringify({ v: 1, settlements });
    await this.#store(subjectName(this.stream, FLOW.settlement), payload);
  }

  async #store(subject: string, payload: string | Uint8Array): Promise<number> {
    const msgID = randomUUID();
    const { jetstream } = this.stream;
    const { seq } = await untilAnswered(() =>
      jetstream.publish(subject, payload, { msgID, timeout: ANSWER_MS }),
    );
    return seq;
  }

  /** Whether a process is waiting for outcomes. */
  async isRequested(): Promise<boolean> {
    const name = streamName(this.stream, FLOW.outcomes);
    return (await this.stream.manager.consumers.info(name, FLOW.outcomes.consumer)).num_waiting > 0;
  }

  /** Whether all that was accepted and sent has been handled. */
  async isAtRest(): Promise<boolean> {
    const { manager } = this.stream;
    // INGEST first: settlements of what it holds are still to be published.
    this.#partitions ??= await readPartitions(this.stream);
    for (let partition = 0; partition < this.#partitions; partition++) {
      const { state } = await manager.streams.info(streamName(this.stream, FLOW.ingest, partition));
      if (state.messages > 0) return false;
    }
    for (const hop of [FLOW.config, FLOW.outcomes, FLOW.settlement]) {
      const consumer = await manager.consumers.info(streamName(this.stream, hop), hop.consumer);
      if (consumer.num_pending + consumer.num_ack_pending > 0) return false;
    }
    return true;
  }

  /** Messages that a killed process had taken come again after `ms`, instead of `LIMITS.sharedAckWaitMs`. */
  async shortenAckWait(ms: number): Promise<void> {
    for (const hop of [FLOW.outcomes, FLOW.settlement]) {
      const name = streamName(this.stream, hop);
      const update = () => this.stream.manager.consumers.update(name, hop.consumer, { ack_wait: ms * 1e6 });
      await untilAnswered(update);
    }
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
const DISPLAY_CONTENT = { title: "T", image: "I", summary: "S", description: "D", terms: "C" };

/**
 * Publishes a program or deal as it is now, or its removal, whatever the stream holds of it; the platform itself compares
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
