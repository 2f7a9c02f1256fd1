import { type HopService, REPLAY_METRICS } from "#status";

/** The histogram whose p99 is a hop's, and what it is of. */
export interface Timed {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly of: string;
}

export const TIMED: Readonly<Record<HopService, Timed>> = {
  edge: {
    metric: "stampede_http_request_duration_seconds",
    labels: { service: "edge", route: "transaction/ingest" },
    of: "a request of transaction/ingest",
  },
  ingest: {
    metric: "stampede_ingest_end_to_end_duration_seconds",
    labels: {},
    of: "from the stream to the commit",
  },
  platform: {
    metric: "stampede_platform_step_duration_seconds",
    labels: { step: "store_records" },
    of: "a batch stored",
  },
  rewards: {
    metric: "stampede_rewards_step_duration_seconds",
    labels: { step: "transaction" },
    of: "a batch, to its commit",
  },
  webhooks: {
    metric: "stampede_webhooks_answer_duration_seconds",
    labels: {},
    of: "a receiver's answer",
  },
};

/** Events of packed messages: their sum is how many events the edge took. */
export const EVENTS = "stampede_edge_message_events";
/** How far a process is with each stream that it reads. */
export const DONE = "stampede_consumer_done_sequence";

/** What the live page is made of beside `HOP_METRICS`. */
export const LIVE_METRICS: readonly string[] = [
  ...Object.values(TIMED).map(({ metric }) => metric),
  EVENTS,
  DONE,
  ...REPLAY_METRICS,
];
