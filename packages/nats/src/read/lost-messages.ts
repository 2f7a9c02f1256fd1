import type { Hop } from "#contract";
import type { MetricFactory } from "#runtime";
import type { StreamState } from "../streams/stream-state.ts";

/** Why messages between a reader's place and its stream are gone. */
export const GAPS = ["stream_shorter", "stream_remade", "stream_rewound"] as const;
export type Gap = (typeof GAPS)[number];

/** Counts messages that are gone from a stream and were not done. */
export type CountLost = (gap: Gap, messages: number) => void;

/** For the hops that a process reads. To be called once in a process: a metric can be made only once. */
export function countLostMessages(metrics: MetricFactory): (hop: Hop) => CountLost {
  const gone = metrics.counter(
    "stampede_stream_lost_messages_total",
    "Messages that a stream lost before they were done, by what happened to the stream.",
    ["stream", "reason"],
  );
  return ({ stream }) => {
    for (const reason of GAPS) gone.inc({ stream, reason }, 0);
    return (reason, messages) => gone.inc({ stream, reason }, messages);
  };
}

/**
 * The span of time in which the stream stored the lost messages: integrators have to know what to send again.
 */
export function timesOfGap(
  storedAtMs: number | null,
  { firstAtMs, nowMs }: Pick<StreamState, "firstAtMs" | "nowMs">,
): { readonly since: string | undefined; readonly until: string } {
  const since = storedAtMs === null ? undefined : new Date(storedAtMs).toISOString();
  return { since, until: new Date(firstAtMs ?? nowMs).toISOString() };
}
