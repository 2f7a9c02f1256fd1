import type { Hop } from "#contract";
import type { MetricFactory } from "#runtime";
import type { StreamState } from "../streams/stream-state.ts";

/** Why messages between a reader's place and the present stream are gone. */
export const GAPS = ["stream_shorter", "stream_remade", "stream_rewound"] as const;
export type Gap = (typeof GAPS)[number];

/** Counts unfinished messages that are gone from a stream. */
export type CountLost = (gap: Gap, messages: number) => void;

/** For the hops that a process reads. Call it once in a process: a metric can be made only once. */
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
 * The span of time in which the stream stored the lost messages: integrators need it to know which events to
 * send again.
 */
export function timesOfGap(
  storedAtMs: number | null,
  { firstAtMs, nowMs }: Pick<StreamState, "firstAtMs" | "nowMs">,
): { readonly since: string | undefined; readonly until: string } {
  const since = storedAtMs === null ? undefined : new Date(storedAtMs).toISOString();
  return { since, until: new Date(firstAtMs ?? nowMs).toISOString() };
}
