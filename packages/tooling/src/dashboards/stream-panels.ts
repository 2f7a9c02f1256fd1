import type { RowSpec } from "./panel-spec.ts";
import { byLabel } from "./queries.ts";

/**
 * The streams of some hops, by name.
 * @param consumed a regular expression of the names of those that are worked off
 * @param options.kept of those that nobody consumes
 * @param options.owned nothing is ever handed out twice
 */
export function streamRow(
  title: string,
  consumed: string,
  { kept, owned = false }: { kept?: string; owned?: boolean } = {},
): RowSpec {
  const streams = kept === undefined ? consumed : `${consumed}|${kept}`;
  const worst = (name: string) => {
    const among = name.startsWith("stampede_consumer_") ? consumed : streams;
    return `max by (stream) (${name}{stream=~"${among}"})`;
  };
  return {
    title,
    panels: [
      {
        title: "Waiting, and handed out",
        description: "Messages that the consumer has not got, and that it has and that are not done.",
        unit: "short",
        queries: [
          { expr: worst("stampede_consumer_pending_messages"), legend: "{{stream}} waiting" },
          { expr: worst("stampede_consumer_ack_pending_messages"), legend: "{{stream}} handed out" },
          ...(owned
            ? []
            : [{ expr: worst("stampede_consumer_redelivered_messages"), legend: "{{stream}} again" }]),
        ],
        alerts: ["StampedeConsumerStalled"],
      },
      {
        title: "Oldest message",
        description: "A line that rises by a second each second stands still.",
        unit: "s",
        queries: byLabel("stream", worst("stampede_stream_oldest_message_age_seconds")),
        thresholds: [{ from: 120, color: "red" }],
        alerts: ["StampedeConsumerStalled", "StampedeConsumerBehind"],
      },
      {
        title: "Size, and limit",
        description: "A stream at its limit refuses, and whoever publishes waits.",
        unit: "bytes",
        queries: [
          { expr: worst("stampede_stream_bytes"), legend: "{{stream}}" },
          { expr: worst("stampede_stream_limit_bytes"), legend: "{{stream}} limit" },
        ],
        alerts: ["StampedeStreamNearFull", "StampedeStreamFull"],
      },
      {
        title: "Copies in sync",
        description: "And how many there should be. One less works; without most of them the stream stops.",
        unit: "short",
        queries: [
          { expr: worst("stampede_stream_replicas_current"), legend: "{{stream}}" },
          { expr: worst("stampede_stream_replicas"), legend: "{{stream}} wanted" },
        ],
        alerts: ["StampedeStreamReplicaMissing"],
      },
    ],
  };
}
