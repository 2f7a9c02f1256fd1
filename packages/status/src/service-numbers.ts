import type { Hop } from "#contract";
import { type Change, sumOf } from "./change.ts";
import type { HopService } from "./hop-services.ts";

/** The part of a hop's line that each service computes by itself. */
export interface HopNumbers {
  /** Its rate per second, with the unit. */
  readonly rate: number;
  readonly unit: string;
  /** The number that waits for it, with the unit. */
  readonly lag: number;
  readonly waiting: string;
  /** Age of the oldest waiting one; undefined: not known. */
  readonly oldestSeconds: number | undefined;
  /** Failures per second. */
  readonly errors: number;
  readonly notes: readonly string[];
}

/** @param streams those that the service reads */
export type NumbersOf = (change: Change, streams: readonly Hop[]) => HopNumbers;

/**
 * The metrics that `readServiceHops` reads: a frequent caller asks only for these. Every process has the
 * first ones (`Change` needs them).
 */
export const HOP_METRICS: readonly string[] = [
  "process_start_time_seconds",
  "stampede_ready",
  "stampede_hop_standing_seconds",
  "stampede_child_up",
  "stampede_partitions",
  "stampede_partitions_owned",
  "stampede_stream_messages",
  "stampede_stream_oldest_message_age_seconds",
  "stampede_consumer_pending_messages",
  "stampede_consumer_ack_pending_messages",
  "stampede_edge_unanswered_events",
  "stampede_http_requests_total",
  "stampede_ingest_batch_retries_total",
  "stampede_ingest_events_total",
  "stampede_ingest_messages_total",
  "stampede_platform_batch_retries_total",
  "stampede_platform_messages_total",
  "stampede_platform_outcome_queue",
  "stampede_platform_records_total",
  "stampede_rewards_batch_retries_total",
  "stampede_rewards_config_retries_total",
  "stampede_rewards_messages_total",
  "stampede_rewards_outcomes_total",
  "stampede_rewards_settlements_total",
  "stampede_webhooks_attempts_total",
  "stampede_webhooks_disabled",
  "stampede_webhooks_events_delivered_total",
  "stampede_webhooks_failing",
  "stampede_webhooks_oldest_pending_seconds",
  "stampede_webhooks_waiting",
];

/** The partition of a stream of this hop. */
export function partitionIn(stream: string | undefined, { stream: name }: Hop): string | undefined {
  return stream?.startsWith(`${name}_`) ? stream.slice(name.length + 1) : undefined;
}

/** The messages that wait in the streams of these hops, and since when. */
function backlog(change: Change, hops: readonly Hop[]) {
  const isTheirs = (stream: string) =>
    hops.some((hop) => stream === hop.stream || partitionIn(stream, hop) !== undefined);
  const total = (name: string) => sumOf(change.byStream(name, isTheirs).values());
  const ages = change.byStream("stampede_stream_oldest_message_age_seconds", isTheirs);
  return {
    lag: total("stampede_consumer_pending_messages") + total("stampede_consumer_ack_pending_messages"),
    waiting: "messages",
    oldestSeconds: ages.size === 0 ? undefined : Math.max(...ages.values()),
  };
}

function edgeNumbers(change: Change): HopNumbers {
  const service = "edge";
  return {
    rate: change.rate("stampede_http_requests_total", { service }),
    unit: "requests",
    lag: change.sum("stampede_edge_unanswered_events"),
    waiting: "events",
    oldestSeconds: undefined,
    // A wrong request is its caller's fault, and not ours.
    errors: change.rate("stampede_http_requests_total", { service, code: ["internal_error", "unavailable"] }),
    notes: [],
  };
}

function ingestNumbers(change: Change, streams: readonly Hop[]): HopNumbers {
  return {
    rate: change.rate("stampede_ingest_events_total"),
    unit: "events",
    ...backlog(change, streams),
    errors:
      change.rate("stampede_ingest_batch_retries_total") +
      change.rate("stampede_ingest_events_total", { result: "dead" }) +
      change.rate("stampede_ingest_messages_total", { outcome: "dead" }),
    notes: [],
  };
}

function platformNumbers(change: Change, streams: readonly Hop[]): HopNumbers {
  const queued = change.max("stampede_platform_outcome_queue") ?? 0;
  return {
    rate: change.rate("stampede_platform_records_total"),
    unit: "records",
    ...backlog(change, streams),
    errors:
      change.rate("stampede_platform_batch_retries_total") +
      change.rate("stampede_platform_messages_total", { outcome: "dead" }),
    notes: queued > 0 ? [`${queued} outcomes not published`] : [],
  };
}

function rewardsNumbers(change: Change, streams: readonly Hop[]): HopNumbers {
  return {
    rate: change.rate("stampede_rewards_outcomes_total") + change.rate("stampede_rewards_settlements_total"),
    unit: "outcomes and settlements",
    // CONFIG keeps its messages, so that the age of the oldest means nothing.
    ...backlog(change, streams),
    oldestSeconds: backlog(
      change,
      streams.filter(({ lastPerKey }) => lastPerKey !== true),
    ).oldestSeconds,
    errors:
      change.rate("stampede_rewards_batch_retries_total") +
      change.rate("stampede_rewards_config_retries_total") +
      change.rate("stampede_rewards_messages_total", { outcome: "dead" }) +
      change.rate("stampede_rewards_outcomes_total", { result: ["invalid", "refused"] }),
    notes: [],
  };
}

function webhooksNumbers(change: Change): HopNumbers {
  const told = [
    ["failing", "stampede_webhooks_failing"],
    ["disabled", "stampede_webhooks_disabled"],
  ] as const;
  const attempts = change.rate("stampede_webhooks_attempts_total");
  return {
    rate: change.rate("stampede_webhooks_events_delivered_total"),
    unit: "events",
    lag: change.max("stampede_webhooks_waiting") ?? 0,
    waiting: "webhooks",
    oldestSeconds: change.max("stampede_webhooks_oldest_pending_seconds"),
    errors: Math.max(0, attempts - change.rate("stampede_webhooks_attempts_total", { result: "delivered" })),
    notes: told.flatMap(([word, name]) => {
      const count = change.max(name) ?? 0;
      return count > 0 ? [`${count} ${word}`] : [];
    }),
  };
}

export const NUMBERS: Readonly<Record<HopService, NumbersOf>> = {
  edge: edgeNumbers,
  ingest: ingestNumbers,
  platform: platformNumbers,
  rewards: rewardsNumbers,
  webhooks: webhooksNumbers,
};
