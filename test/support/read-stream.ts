import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Pipeline } from "./start-pipeline.ts";

const NO_MESSAGE_FOUND = 10037;

/** A connection of the test's own to the pipeline's NATS. */
export async function connectTo(pipeline: Pipeline): Promise<NatsConnection> {
  const urls = pipeline.natsUrl.split(",").map((url) => new URL(url));
  const { username, password } = urls[0] as URL;
  return connect({ servers: urls.map(({ host }) => host), user: username, pass: password });
}

export interface ReadMessage<T> {
  readonly sequence: number;
  readonly body: T;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * All messages that a stream of the pipeline holds now, such as `PLATFORM_TX`, oldest first. It gets them one by one and
 * makes no consumer: a work queue allows only one, and what that one acknowledges is gone.
 */
export async function readMessages<T>(pipeline: Pipeline, stream: string): Promise<ReadMessage<T>[]> {
  const nats = await connectTo(pipeline);
  try {
    const manager = await jetstreamManager(nats);
    const name = pipeline.streamPrefix + stream;
    const { state } = await manager.streams.info(name);
    const messages: ReadMessage<T>[] = [];
    // A stream that never held a message gives 0 as its first sequence, for which it cannot be asked.
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(name, { seq }).catch((error) => {
        if (error instanceof JetStreamApiError && error.code === NO_MESSAGE_FOUND) return null;
        throw error;
      });
      if (message === null) continue;
      const { header } = message;
      const headers = Object.fromEntries(header.keys().map((key) => [key, header.get(key)]));
      messages.push({ sequence: seq, body: message.json<T>(), headers });
    }
    return messages;
  } finally {
    await nats.close();
  }
}

/** The contents of all messages, without their headers. */
export async function readStream<T>(pipeline: Pipeline, stream: string): Promise<T[]> {
  return (await readMessages<T>(pipeline, stream)).map(({ body }) => body);
}
