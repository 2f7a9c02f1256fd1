import { type ConsumerInfo, RetentionPolicy, type StreamInfo } from "@nats-io/jetstream";
import type { Stream } from "./connect.ts";

/**
 * When the oldest message that is not done was stored, in milliseconds since 1970; undefined: there is none.
 *
 * Where somebody keeps a position in the stream, it is the first one behind it.
 *
 * A work queue drops what is acknowledged, wherever it stands, and its first message is then the next one that is left:
 * acknowledgements in the middle leave gaps behind it and do not move it. So the first message is the oldest that waits.
 * A stream that keeps messages is looked at behind the consumer's acknowledgement floor instead. Where there is no
 * consumer, nothing is ever acknowledged.
 */
export async function oldestWaitingSince(
  stream: Stream,
  info: StreamInfo,
  consumer: ConsumerInfo | undefined,
  position?: number | undefined,
): Promise<number | undefined> {
  const { state, config } = info;
  if (state.messages === 0) return undefined;
  if (position !== undefined && position >= state.first_seq) {
    return position >= state.last_seq ? undefined : storedAt(stream, info, position + 1);
  }
  if (consumer === undefined || config.retention === RetentionPolicy.Workqueue) {
    const since = Date.parse(state.first_ts);
    // The server says year 1 where it could not read the message (`selectNextFirst` in its filestore.go). It is not older
    // than the stream, and a store that is broken may well raise an alarm.
    return since > 0 ? since : Date.parse(info.created);
  }
  if (consumer.num_pending + consumer.num_ack_pending === 0) return undefined;
  return storedAt(stream, info, consumer.ack_floor.stream_seq + 1);
}

/** Of the first message at or behind a position. */
async function storedAt(stream: Stream, { config }: StreamInfo, seq: number): Promise<number | undefined> {
  const query = { seq, next_by_subj: ">" };
  // Gone since the look at the stream.
  const message = await stream.manager.streams.getMessage(config.name, query);
  return message?.time.getTime();
}
