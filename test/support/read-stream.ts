import { jetstream } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Pipeline } from "./start-pipeline.ts";

/** A connection of the test's own to the pipeline's NATS. */
export async function connectTo(pipeline: Pipeline): Promise<NatsConnection> {
  const { host, username, password } = new URL(pipeline.natsUrl);
  return connect({ servers: host, user: username, pass: password });
}

/** All messages that a stream of the pipeline holds now, such as `PLATFORM_TX`, oldest first. */
export async function readStream<T>(pipeline: Pipeline, stream: string): Promise<T[]> {
  const nats = await connectTo(pipeline);
  try {
    const consumer = await jetstream(nats).consumers.get(pipeline.streamPrefix + stream);
    const { num_pending: count } = await consumer.info();
    const messages: T[] = [];
    if (count === 0) return messages;
    for await (const message of await consumer.consume()) {
      messages.push(message.json<T>());
      if (message.info.pending === 0) break;
    }
    return messages;
  } finally {
    await nats.close();
  }
}
