import type { HttpServerStats } from "./server.ts";

/** What one server has under way, and the wait for its end. */
export class Traffic {
  #inFlight = 0;
  #aborted = 0;
  #bufferedBytes = 0;
  #idleWaiters: Array<() => void> = [];

  get inFlight(): number {
    return this.#inFlight;
  }

  begin(): void {
    this.#inFlight += 1;
  }

  /** One request has its answer, or its client is gone. */
  end(outcome: "answered" | "aborted"): void {
    this.#inFlight -= 1;
    if (outcome === "aborted") this.#aborted += 1;
    if (this.#inFlight > 0 || this.#idleWaiters.length === 0) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const waiter of waiters) waiter();
  }

  /** Takes `bytes` out of the budget for arriving bodies; false, and nothing taken, when it is spent. */
  buffer(bytes: number, budget: number): boolean {
    if (this.#bufferedBytes + bytes > budget) return false;
    this.#bufferedBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bufferedBytes -= bytes;
  }

  /**
   * Resolves when nothing is in flight, at the latest after `graceMs`. Never before the current callback of
   * the server is over: uWebSockets.js holds the last answer in its cork buffer until then.
   */
  idle(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        setImmediate(resolve);
      };
      const timer = setTimeout(done, graceMs);
      if (this.#inFlight === 0) done();
      else this.#idleWaiters.push(done);
    });
  }

  stats(open: number): HttpServerStats {
    return {
      open,
      inFlight: this.#inFlight,
      bufferedBytes: this.#bufferedBytes,
      aborted: this.#aborted,
    };
  }
}
