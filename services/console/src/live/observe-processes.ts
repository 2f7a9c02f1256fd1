import { getText, HOP_METRICS, type Observation, Scrape, type Source, type Targets } from "#status";
import { LIVE_METRICS } from "./asked-metrics.ts";

/** Longer than the all-in-one start waits for one of its services. */
const ANSWER_MS = 3_000;

/**
 * Only these metrics are asked for: all others would be computed for nothing, and those that begin anew after each look, such
 * as Node's event loop delay, would be lost to Prometheus.
 */
const PATH = `/metrics?${[...HOP_METRICS, ...LIVE_METRICS].map((name) => `name[]=${name}`).join("&")}`;

/** What all processes said at one moment, and which addresses were asked. */
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
  // Every process of ours says whether it is ready.
  if (scrape.sum("stampede_ready") === undefined) throw new Error("not an operations endpoint of Stampede");
  return { url, at: performance.now(), scrape };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Nothing was asked yet. */
export const NOTHING: Observed = { sources: [], silent: [], asked: [] };
