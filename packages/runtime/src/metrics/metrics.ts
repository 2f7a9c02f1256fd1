import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { TracedHistogram } from "./traced-histogram.ts";

export { Counter, Gauge, Histogram, Registry } from "prom-client";

/** From 1 ms, a local read, to 10 s, when every caller has given up. */
export const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** From a single event to a full statement and a little beyond. */
export const SIZE_BUCKETS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2000, 5000];

/** prom-client's gauges with names of counters. Each is the sum of another, which has a label `type`. */
const MISNAMED = [
  "nodejs_active_resources_total",
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
];

/**
 * A registry with the process's own metrics (event loop lag, memory, garbage collection, build). Every
 * service sets the label `service`, so that the all-in-one can serve all their registries together.
 */
export function createRegistry(service: string, version: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // Each sample wakes the process: at 10 ms, the default, they are half of an idle process's cost, and at 50
  // ms most of its wake-ups.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: "stampede_build_info",
    help: "Always 1; the labels say what is running.",
    labelNames: ["version", "node"],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
  return registry;
}

/**
 * Calls `end` when `work` is over, whether it succeeded or not.
 * @param end the result of a histogram's `startTimer`
 */
export async function timeWork<T>(end: () => unknown, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    end();
  }
}

/** Makes metrics of one registry without naming it each time. */
export class MetricFactory {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** @param beforeScrape brings the counter up to date from memory, never by a query */
  counter<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    beforeScrape: () => void = () => {},
  ): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.#registry], collect: beforeScrape });
  }

  /** A counter that other code keeps: `read` gives its value since the start, from memory. */
  counterOf(name: string, help: string, read: () => number): Counter {
    return new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** @param beforeScrape brings the gauge up to date from memory, never by a query */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    beforeScrape: () => void = () => {},
  ): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry], collect: beforeScrape });
  }

  /** A gauge that is read at each scrape; `read` must read memory only, never query. */
  gaugeOf(name: string, help: string, read: () => number): Gauge {
    return new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Like `gaugeOf`, for each value of one label. */
  gaugesOf<L extends string>(
    name: string,
    help: string,
    label: L,
    read: () => Readonly<Record<string, number>>,
  ): Gauge<L> {
    return new Gauge<L>({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        for (const [value, count] of Object.entries(read())) this.labels(value).set(count);
      },
    });
  }

  histogram<L extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly L[] = [],
  ): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [this.#registry] });
  }
  /**
   * A histogram with the trace id of one observation per bucket, so that a slow one can be looked up in the
   * logs. `observe(labels, value, traceId)`.
   */
  tracedHistogram<L extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly L[] = [],
  ): TracedHistogram<L> {
    return new TracedHistogram({ name, help, buckets, labelNames, registry: this.#registry });
  }
}
