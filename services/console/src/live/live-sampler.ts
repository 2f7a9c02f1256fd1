import { type Log, type MetricFactory, type Repeated, repeat } from "#runtime";
import { Change, Targets } from "#status";
import { KnownProcesses } from "./known-processes.ts";
import type { LiveAnswer } from "./live-answer.ts";
import { LiveHistory } from "./live-history.ts";
import { liveMetrics } from "./metrics.ts";
import { NOTHING, type Observed, observeProcesses } from "./observe-processes.ts";
import { readLiveState } from "./read-live-state.ts";
import type { StreamsRead } from "./stream-reader.ts";

/** Between two samples while somebody looks: each question of a page asks for one more. */
const WATCHED_MS = 1_000;
/** And while nobody does, so that whoever comes finds charts with a history. */
const UNWATCHED_MS = 5_000;

export interface LiveSamplerOptions {
  /** Operations endpoints of all processes. */
  readonly urls: readonly string[];
  /** Reads the state of all streams; never rejects. */
  readonly readStreams: () => Promise<StreamsRead>;
  readonly metrics: MetricFactory;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Samples the pipeline from outside: what its processes and its streams say of themselves. Nothing is asked of PostgreSQL. */
export class LiveSampler {
  readonly #options: LiveSamplerOptions;
  readonly #targets: Targets;
  readonly #processes = new KnownProcesses();
  readonly #history = new LiveHistory();
  readonly #metrics: ReturnType<typeof liveMetrics>;
  #before: Observed = NOTHING;
  #repeated: Repeated | undefined;

  constructor(options: LiveSamplerOptions) {
    this.#options = options;
    this.#targets = new Targets(options.urls);
    this.#metrics = liveMetrics(options.metrics);
  }

  start(): void {
    this.#repeated = repeat({
      name: "live",
      everyMs: UNWATCHED_MS,
      spacingMs: WATCHED_MS,
      work: () => this.#sample(),
      failed: "the pipeline was not sampled",
      log: this.#options.log,
    });
  }

  /**
   * What was sampled since then, and a wish for the next sample: it is begun at once, or a second after the last one.
   * @param since milliseconds since 1970, of a sample that the caller has; left out: all that is kept
   */
  look(since?: number): LiveAnswer {
    this.#repeated?.kick();
    return this.#history.answer(since);
  }

  /** Resolves when the sample under way is over. */
  async stop(): Promise<void> {
    await this.#repeated?.stop();
  }

  async #sample(): Promise<void> {
    const { readStreams, now = Date.now } = this.#options;
    const [observed, read] = await Promise.all([observeProcesses(this.#targets), readStreams()]);
    this.#processes.update(observed);
    this.#history.add(
      readLiveState({
        at: now(),
        change: new Change(this.#before, observed),
        silent: observed.silent,
        processes: this.#processes,
        read,
      }),
    );
    this.#before = observed;
    this.#metrics.silent.set(observed.silent.length);
    this.#metrics.unreadStreams.set(read.problem === null ? 0 : 1);
  }
}
