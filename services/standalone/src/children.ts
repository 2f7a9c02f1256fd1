import { SERVICE_NAMES } from "#contract";
import type { CheckResult, MetricFactory, StartError } from "#runtime";
import type { Say } from "./step.ts";
import { type Running, Supervised, type SupervisedOptions } from "./supervised.ts";

/** In the order in which they end: first the edge, then the workers, then the servers that they write to. */
export const CHILD_NAMES = [...SERVICE_NAMES, "NATS", "PostgreSQL"] as const;
type ChildName = (typeof CHILD_NAMES)[number];

/** Metrics of the all-in-one start about its children. */
export function standaloneMetrics(metrics: MetricFactory) {
  return {
    childUp: metrics.gauge("stampede_child_up", "Whether an embedded server or a service runs.", ["child"]),
    childRestarts: metrics.counter(
      "stampede_child_restarts_total",
      "Restarts of a child that ended by itself.",
      ["child"],
    ),
  };
}

/** All child processes of this start: kept running, and stopped in order. */
export class Children {
  /** Resolves when one of the children is given up. */
  readonly failed: Promise<StartError>;
  readonly #children = new Map<ChildName, Supervised<Running>>();
  readonly #say: Say;
  readonly #metrics: ReturnType<typeof standaloneMetrics>;
  #fail: (error: StartError) => void = () => {};

  constructor(say: Say, metrics: ReturnType<typeof standaloneMetrics>) {
    this.#say = say;
    this.#metrics = metrics;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  /** Adds a child, which is kept running once its caller has started it. */
  add<T extends Running>(
    name: ChildName,
    options: Pick<SupervisedOptions<T>, "logFile" | "start" | "isOwnFault">,
  ): Supervised<T> {
    const child = new Supervised<T>({
      name,
      ...options,
      say: this.#say,
      onRestart: () => this.#metrics.childRestarts.inc({ child: name }),
      onGiveUp: this.#fail,
    });
    this.#metrics.childRestarts.inc({ child: name }, 0);
    this.#children.set(name, child);
    return child;
  }

  /** Nothing can go on: the same as a child that is given up. */
  giveUp(error: StartError): void {
    this.#fail(error);
  }

  names(): ChildName[] {
    return [...this.#children.keys()];
  }

  check(name: ChildName): CheckResult {
    const child = this.#children.get(name)?.current;
    if (child === undefined) return { ok: false, detail: "not running, it is being started again" };
    return { ok: true, detail: `process ${child.pid}` };
  }

  updateMetrics(): void {
    for (const name of this.names()) this.#metrics.childUp.set({ child: name }, this.check(name).ok ? 1 : 0);
  }

  /** Ends every start that is under way. */
  callOff(): void {
    for (const child of this.#children.values()) child.callOff();
  }

  async stop(): Promise<void> {
    for (const name of CHILD_NAMES) await this.#children.get(name)?.stop();
  }

  /**
   * Kills the services; what they had open is done again after the next start. The servers still close their
   * files.
   */
  hurry(): void {
    for (const name of SERVICE_NAMES) this.#children.get(name)?.kill();
  }
}
