import {
  getText,
  HOP_METRICS,
  type HopService,
  type Observation,
  REPLAY_METRICS,
  Scrape,
  type Source,
  type Targets,
} from "#status";

/** The histogram of a hop's p99, and what it measures. */
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
/** By stream, the last sequence that a process has done. */
export const DONE = "stampede_consumer_done_sequence";

/** What the live page needs beside `HOP_METRICS`. */
export const LIVE_METRICS: readonly string[] = [
  ...Object.values(TIMED).map(({ metric }) => metric),
  EVENTS,
  DONE,
  ...REPLAY_METRICS,
];

/** Longer than the all-in-one start waits for one of its services. */
const ANSWER_MS = 3_000;

/**
 * Only these metrics are asked for. The others would be computed for nothing; those that start over after each scrape, such as
 * Node's event loop delay, would be lost to Prometheus.
 */
const PATH = `/metrics?${[...HOP_METRICS, ...LIVE_METRICS].map((name) => `name[]=${name}`).join("&")}`;

/** The answers of all processes at one moment, and the addresses that were asked. */
export interface Observed extends Observation {
  readonly asked: readonly string[];
}

/** Asks every process at once. One that does not answer in time is silent. */
export async function observeProcesses(targets: Targets): Promise<Observed> {
  const { urls, unresolved } = await targets.find(performance.now());
  const answers = await Promise.allSettled(urls.map(scrapeOne));
  const sources: Source[] = [];
  const silent = [...unresolved];
  for (const [i, answer] of answers.entries()) {
    if (answer.status === "fulfilled") sources.push(answer.value);
    else silent.push({ url: urls[i] as string, reason: reasonOf(answer.reason) });
  }
  return { sources, silent, asked: urls };
}

async function scrapeOne(url: string): Promise<Source> {
  const scrape = new Scrape(await getText(url + PATH, ANSWER_MS));
  // Every process of Stampede reports whether it is ready.
  if (scrape.sum("stampede_ready") === undefined) throw new Error("not an operations endpoint of Stampede");
  return { url, at: performance.now(), scrape };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Before the first question. */
export const NOTHING: Observed = { sources: [], silent: [], asked: [] };
