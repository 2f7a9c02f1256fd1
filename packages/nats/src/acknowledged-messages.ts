import type { Hop } from "#contract";
import type { Stream } from "./connect.ts";
import { whileConnected } from "./connected.ts";
import type { SharedMessage } from "./shared-loop.ts";
import { streamName } from "./topology.ts";

/**
 * What a stream still keeps of the messages that its consumer has acknowledged, oldest first: of one that keeps the last of
 * each key, that. What is acknowledged or comes while this reads is the consumer's to bring.
 */
export async function* acknowledgedMessages(stream: Stream, hop: Hop): AsyncGenerator<SharedMessage> {
  const name = streamName(stream, hop);
  const { ack_floor } = await whileConnected(stream, stream.manager.consumers.info(name, hop.consumer));
  for (let seq = 1; ; ) {
    const query = { seq, next_by_subj: ">" };
    const message = await whileConnected(stream, stream.manager.streams.getMessage(name, query));
    if (message === null || message.seq > ack_floor.stream_seq) return;
    const { subject, data } = message;
    yield { subject, sequence: message.seq, data, rows: 1, traceIds: "", traceparent: "" };
    seq = message.seq + 1;
  }
}
