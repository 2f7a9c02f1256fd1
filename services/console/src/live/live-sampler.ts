import { badRequest, jsonResponse } from "#http";
import { type Log, type MetricFactory, type Repeated, repeat } from "#runtime";
import { Change, Targets } from "#status";
import type { ConsoleEndpoint } from "../endpoint.ts";
import { KnownProcesses } from "./known-processes.ts";
import type { LiveAnswer } from "./live-answer.ts";
import { LiveHistory } from "./live-history.ts";
import { NOTHING, type Observed, observeProcesses } from "./observe-processes.ts";
import { readLiveState } from "./read-live-state.ts";
import type { StreamsRead } from "./stream-reader.ts";

/** Between two samples while a page is open: each of its questions asks for one more sample. */
const WATCHED_MS = 1_000;
/** Between two samples otherwise, so that a page that is opened has a history. */
const UNWATCHED_MS = 5_000;

interface LiveSamplerOptions {
  /** Operations endpoints of all processes. */
  readonly urls: readonly string[];
  /** Reads the state of all streams; never rejects. */
  readonly readStreams: () => Promise<StreamsRead>;
  readonly metrics: MetricFactory;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Samples the pipeline from outside: its processes' metrics and its streams. It asks PostgreSQL nothing. */
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
   * The samples since then. Asks for the next sample: it begins at once, or a second after the last one.
   * @param since milliseconds since 1970, of a sample that the caller has; left out: all samples
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

/** Metrics of the console about its own sampling. */
function liveMetrics(metrics: MetricFactory) {
  return {
    silent: metrics.gauge(
      "stampede_console_silent_addresses",
      "Operations endpoints that did not answer the console's last sample.",
    ),
    unreadStreams: metrics.gauge(
      "stampede_console_streams_unread",
      "1 if the console's last sample could not read the state of all streams, else 0.",
    ),
  };
}

export const LIVE_ROUTE = "live";

/** `live` `{since?}`: the samples that are newer than that one (`LiveAnswer`). A page asks once a second. */
export function liveEndpoint(sampler: Pick<LiveSampler, "look">): ConsoleEndpoint {
  return {
    route: LIVE_ROUTE,
    role: "support",
    kind: "read",
    run: async ({ body }) => {
      const { since } = body;
      if (since !== undefined && !(typeof since === "number" && since >= 0)) {
        const message = "must be milliseconds since 1970";
        throw badRequest(`since ${message}`, { path: "/since", message });
      }
      return jsonResponse(200, sampler.look(since));
    },
  };
}
