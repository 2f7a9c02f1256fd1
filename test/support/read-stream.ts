import { JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { FLOW, type Hop } from "#contract";
import { decodeRecords, recordsVersionOf } from "#contract/codec";
import type { Pipeline } from "./start-pipeline.ts";

const NO_MESSAGE_FOUND = 10037;

/** A connection of the test's own to the pipeline's NATS. */
export async function connectTo(pipeline: Pipeline): Promise<NatsConnection> {
  const urls = pipeline.natsUrl.split(",").map((url) => new URL(url));
  const { username, password } = urls[0] as URL;
  return connect({ servers: urls.map(({ host }) => host), user: username, pass: password });
}

export interface ReadMessage<T> {
  readonly partition: number;
  readonly sequence: number;
  readonly body: T;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * All messages that the streams of a hop hold now, such as `PLATFORM_TX` for all its partitions, oldest first in each. It
 * gets them one by one and makes no consumer.
 */
export async function readMessages<T>(pipeline: Pipeline, stream: string): Promise<ReadMessage<T>[]> {
  const nats = await connectTo(pipeline);
  try {
    const manager = await jetstreamManager(nats);
    const messages: ReadMessage<T>[] = [];
    for (const [partition, name] of (await streamNames(manager, pipeline, stream)).entries()) {
      const { state } = await manager.streams.info(name);
      // A stream that never held a message gives 0 as its first sequence, and no request may ask for that.
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
        const message = await manager.streams.getMessage(name, { seq }).catch((error) => {
          if (error instanceof JetStreamApiError && error.code === NO_MESSAGE_FOUND) return null;
          throw error;
        });
        if (message === null) continue;
        const { header } = message;
        const headers = Object.fromEntries(header.keys().map((key) => [key, header.get(key)]));
        messages.push({ partition, sequence: seq, body: messageBody(message.data) as T, headers });
      }
    }
    return messages;
  } finally {
    await nats.close();
  }
}

/** The message as JSON would have it: of PLATFORM_TX, a `PlatformMessage`. */
export function messageBody(data: Uint8Array): unknown {
  if (recordsVersionOf(data) === undefined) return JSON.parse(Buffer.from(data).toString());
  return { v: 1, records: decodeRecords(data) };
}

/** The streams of a hop, by partition. */
async function streamNames(
  manager: JetStreamManager,
  { streamPrefix }: Pipeline,
  stream: string,
): Promise<string[]> {
  const hop = Object.values<Hop>(FLOW).find((one) => one.stream === stream);
  if (!hop?.partitioned) return [streamPrefix + stream];
  const names: string[] = [];
  for await (const name of manager.streams.names(`${streamPrefix}${hop.subject}.*`)) names.push(name);
  return names.sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
}

/** The contents of all messages, without their headers. */
export async function readStream<T>(pipeline: Pipeline, stream: string): Promise<T[]> {
  return (await readMessages<T>(pipeline, stream)).map(({ body }) => body);
}
