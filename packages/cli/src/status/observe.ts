import { getText } from "../get-text.ts";
import { type Labels, Scrape } from "./metrics-text.ts";

interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
}

/** What one operations address said. */
interface Source {
  readonly url: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  readonly scrape: Scrape;
  readonly readiness: Readiness;
}

/** All addresses, asked once. */
export interface Observation {
  readonly sources: readonly Source[];
  /** Addresses without an answer, and why, for people. */
  readonly silent: ReadonlyArray<{ readonly url: string; readonly reason: string }>;
}

/** Asks each operations address for its metrics and its readiness. An address that does not answer is no error. */
export async function observe(urls: readonly string[]): Promise<Observation> {
  const answers = await Promise.allSettled(urls.map(observeOne));
  const sources = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const silent = answers.flatMap((answer, i) =>
    answer.status === "rejected" ? [{ url: urls[i] as string, reason: reasonOf(answer.reason) }] : [],
  );
  return { sources, silent };
}

async function observeOne(url: string): Promise<Source> {
  const [metrics, verbose] = await Promise.all([getText(`${url}/metrics`), getText(`${url}/readyz?verbose`)]);
  const readiness = JSON.parse(verbose) as Readiness;
  if (typeof readiness?.ready !== "boolean") throw new Error("it is not an operations endpoint of Stampede");
  return { url, at: performance.now(), scrape: new Scrape(metrics), readiness };
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "it is not an operations endpoint of Stampede";
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/**
 * Two observations, one after the other: counters become rates, and gauges are those of the second. All numbers are
 * over all processes that were asked.
 */
export class Change {
  readonly #before: Observation;
  readonly #now: Observation;

  constructor(before: Observation, now: Observation) {
    this.#before = before;
    this.#now = now;
  }

  get sources(): readonly Source[] {
    return this.#now.sources;
  }

  get silent(): Observation["silent"] {
    return this.#now.silent;
  }

  /** Whether the whole all-in-one was asked, so that a service which says nothing does not run. */
  get isWhole(): boolean {
    return this.sources.some(({ scrape }) => scrape.samples("stampede_child_up").length > 0);
  }

  /** How much counters grew in a second, summed. 0 of a process that was not asked before. */
  rate(name: string, labels?: Labels): number {
    let rate = 0;
    for (const { url, at, scrape } of this.sources) {
      const before = this.#before.sources.find((source) => source.url === url);
      const now = scrape.sum(name, labels);
      if (before === undefined || now === undefined || at <= before.at) continue;
      const then = before.scrape.sum(name, labels) ?? 0;
      // A process that was restarted in between counts from 0 again.
      rate += ((now >= then ? now - then : now) * 1000) / (at - before.at);
    }
    return rate;
  }

  /** Gauges of which every process has its own part. */
  sum(name: string, labels?: Labels): number {
    return this.sources.reduce((total, { scrape }) => total + (scrape.sum(name, labels) ?? 0), 0);
  }

  /** A gauge that is the same from each process, or whose worst value counts. Undefined if nobody has it. */
  max(name: string, labels?: Labels): number | undefined {
    const values = this.#samples(name, labels).map(({ value }) => value);
    return values.length === 0 ? undefined : Math.max(...values);
  }

  min(name: string, labels?: Labels): number | undefined {
    const values = this.#samples(name, labels).map(({ value }) => value);
    return values.length === 0 ? undefined : Math.min(...values);
  }

  count(name: string, labels?: Labels): number {
    return this.#samples(name, labels).length;
  }

  /** A gauge of streams, by stream; of several processes that show the same stream the highest value. */
  byStream(name: string, isWanted: (stream: string) => boolean): Map<string, number> {
    const values = new Map<string, number>();
    for (const { labels, value } of this.#samples(name)) {
      const { stream = "" } = labels;
      if (isWanted(stream)) values.set(stream, Math.max(value, values.get(stream) ?? value));
    }
    return values;
  }

  #samples(name: string, labels?: Labels) {
    return this.sources.flatMap(({ scrape }) => scrape.samples(name, labels));
  }
}
