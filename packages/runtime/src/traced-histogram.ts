import { Histogram, type Registry } from "prom-client";

type Labels<L extends string> = Record<L, string>;

/**
 * A histogram that keeps, for each bucket of each label combination, the trace id of its latest observation: an
 * exemplar. They are served in the OpenMetrics format only.
 *
 * A class of its own, since prom-client's `observe` takes other arguments where exemplars are on, and mistakes the usual
 * ones for them.
 */
export class TracedHistogram<L extends string = never> {
  readonly #histogram: Histogram;

  constructor(options: {
    name: string;
    help: string;
    buckets: readonly number[];
    labelNames: readonly L[];
    registry: Registry;
  }) {
    this.#histogram = new Histogram({
      name: options.name,
      help: options.help,
      buckets: [...options.buckets],
      labelNames: [...options.labelNames],
      enableExemplars: true,
      registers: [],
    });
    // Given in its options, the library refuses a registry whose own format is plain text; ours is written by
    // `renderMetrics`, in either.
    options.registry.registerMetric(this.#histogram);
  }

  /** @param traceId 32 lower-case hex characters; undefined: the value counts, and no exemplar is kept */
  observe(labels: Labels<L>, value: number, traceId?: string | undefined): void {
    this.#histogram.observe(
      traceId === undefined ? { labels, value } : { labels, value, exemplarLabels: { trace_id: traceId } },
    );
  }

  /** Makes the combination known with no observation yet. */
  zero(labels: Labels<L>): void {
    this.#histogram.zero(labels);
  }
}
