import { jetstreamManager } from "@nats-io/jetstream";
import { FLOW } from "#contract";
import { connectTo, type Pipeline, waitFor } from "#test-support";

/** Waits until everything that was accepted is processed: the ingest streams are empty. */
export async function drained(pipeline: Pipeline, deadlineMs = 60_000): Promise<void> {
  const nats = await connectTo(pipeline);
  try {
    const manager = await jetstreamManager(nats);
    const subject = `${pipeline.streamPrefix}${FLOW.ingest.subject}.*`;
    const waiting = async () => {
      let messages = 0;
      for await (const { state } of manager.streams.list(subject)) messages += state.messages;
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
