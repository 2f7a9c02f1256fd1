import type { Hop } from "#contract";
import type { Stream } from "./connect.ts";
import type { StreamMessage } from "./message.ts";
import { ask } from "./outage.ts";
import { streamName } from "./topology.ts";

/**
 * What a stream still keeps of the messages that its consumer has acknowledged, oldest first: of one that keeps the last of
 * each key, that. What is acknowledged or comes while this reads is the consumer's to bring.
 */
export async function* acknowledgedMessages(stream: Stream, hop: Hop): AsyncGenerator<StreamMessage> {
  const { manager } = stream;
  const name = streamName(stream, hop);
  const { ack_floor } = await ask(stream, () => manager.consumers.info(name, hop.consumer));
  for (let seq = 1; ; ) {
    const query = { seq, next_by_subj: ">" };
    const message = await ask(stream, () => manager.streams.getMessage(name, query));
    if (message === null || message.seq > ack_floor.stream_seq) return;
    const { subject, data, time } = message;
    const facts = { rows: 1, traceIds: "", traceparent: "" };
    yield { subject, partition: 0, sequence: message.seq, data, storedAtMs: time.getTime(), ...facts };
    seq = message.seq + 1;
  }
}
