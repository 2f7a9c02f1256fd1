import { jetstreamManager } from "@nats-io/jetstream";
import { connectTo, type Pipeline, waitFor } from "#test-support";

/** Waits until everything that was accepted is processed: the ingest streams are empty. */
export async function drained(pipeline: Pipeline, deadlineMs = 60_000): Promise<void> {
  const nats = await connectTo(pipeline);
  try {
    const manager = await jetstreamManager(nats);
    const waiting = async () => {
      let messages = 0;
      for await (const { config, state } of manager.streams.list()) {
        if (config.name.startsWith(`${pipeline.streamPrefix}INGEST_`)) messages += state.messages;
      }
      return messages;
    };
    await waitFor(async () => (await waiting()) === 0, {
      deadlineMs,
      message: "the ingest streams are not empty",
    });
  } finally {
    await nats.close();
  }
}
