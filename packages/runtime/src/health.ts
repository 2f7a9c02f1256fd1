import type { MetricFactory } from "./metrics/metrics.ts";

/** The result of a readiness check. `/readyz?verbose` shows `detail`; it holds no secret. */
export interface CheckResult {
  readonly ok: boolean;
  readonly detail: string;
}

/** The answer of `/readyz?verbose`. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, CheckResult>>;
}

/** Reads known state (a connection's status, a sampled value). Never makes a query. */
export type Check = () => CheckResult;

/** The readiness of one process: every check that counts must hold, and the process must not be draining. */
export class Health {
  readonly #checks = new Map<string, Check>();
  readonly #shown = new Set<string>();
  #draining = false;

  addCheck(name: string, check: Check): void {
    this.#checks.set(name, check);
  }

  /** Adds a check that is shown but does not count: the process can work even if it fails. */
  addShown(name: string, check: Check): void {
    this.#checks.set(name, check);
    this.#shown.add(name);
  }

  /** From now on not ready, so that a load balancer sends requests elsewhere while open work is finished. */
  drain(): void {
    this.#draining = true;
  }

  readiness(): Readiness {
    const checks: Record<string, CheckResult> = {};
    for (const [name, check] of this.#checks) checks[name] = check();
    if (this.#draining) checks.draining = { ok: false, detail: "the process was told to stop" };
    const ready = Object.entries(checks).every(([name, { ok }]) => ok || this.#shown.has(name));
    return { ready, checks };
  }
}

/**
 * Shows the result of `/readyz` to Prometheus. If load balancers have left a service altogether, it gets no
 * requests, so none fails, and its processes go on answering scrapes: only this metric shows it.
 */
export function showReadiness(metrics: MetricFactory, health: Health): void {
  metrics.gaugeOf("stampede_ready", "1: the process is ready, as /readyz says; 0: it is not.", () =>
    health.readiness().ready ? 1 : 0,
  );
}
