import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { LIMITS } from "#contract";
import { BodyBudget } from "./body-budget.ts";
import { guarded } from "./refusals.ts";
import type { Api, HttpLimits, HttpServerOptions, HttpServerStats, RefusedByServer } from "./server.ts";

/** The state shared by all exchanges of one server. */
export interface ServerParts {
  readonly api: Api;
  readonly limits: HttpLimits;
  readonly traffic: Traffic;
  readonly bodies: BodyBudget;
  /** For answers that their callers have not read. */
  readonly answers: BodyBudget;
  draining: boolean;
}

export function serverParts(options: HttpServerOptions): ServerParts {
  const limits = { ...LIMITS, ...options.limits };
  return {
    api: guarded(options),
    limits,
    traffic: new Traffic(),
    bodies: new BodyBudget(limits.bufferedBodyBytes),
    answers: new BodyBudget(limits.unreadAnswerBytes),
    draining: false,
  };
}

/** How often a draining server checks whether all callers have disconnected. */
const LOOK_MS = 20;

/** The work under way in one server, and the wait for its end. */
export class Traffic {
  #inFlight = 0;
  #aborted = 0;
  readonly #refused: Record<RefusedByServer, number> = {
    bad_request: 0,
    payload_too_large: 0,
    unavailable: 0,
  };
  /** `performance.now()` of the last request or answer. */
  #lastAt = Number.NEGATIVE_INFINITY;
  #idleWaiters: Array<() => void> = [];

  get inFlight(): number {
    return this.#inFlight;
  }

  /** A request has come, admitted or not. */
  seen(): void {
    this.#lastAt = performance.now();
  }

  begin(): void {
    this.#inFlight += 1;
  }

  /** One request has its answer, or its client is gone. */
  end(outcome: "answered" | "aborted"): void {
    this.seen();
    this.#inFlight -= 1;
    if (outcome === "aborted") this.#aborted += 1;
    if (this.#inFlight > 0 || this.#idleWaiters.length === 0) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const waiter of waiters) waiter();
  }

  /** The server itself answered a request: the API never got it, or never its body. */
  refuse(code: RefusedByServer): void {
    this.#refused[code] += 1;
  }

  /**
   * Resolves when nothing is in flight and no request has come for `quietMs`, or when no caller is left that
   * could send one; after `graceMs` at the latest. Never before the current callback of the server ends,
   * because until then uWebSockets.js holds the last answer in its cork buffer.
   */
  async quiet(quietMs: number, graceMs: number, isAlone: () => boolean = () => false): Promise<void> {
    const deadline = performance.now() + graceMs;
    for (;;) {
      await this.#idle(deadline - performance.now());
      if (isAlone()) return;
      const rest = Math.min(this.#lastAt + quietMs, deadline) - performance.now();
      if (rest <= 0) return;
      await delay(Math.min(rest, LOOK_MS));
    }
  }

  #idle(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        setImmediate(resolve);
      };
      const timer = setTimeout(done, Math.max(0, withinMs));
      if (this.#inFlight === 0) done();
      else this.#idleWaiters.push(done);
    });
  }

  stats(open: number, bufferedBytes: number): HttpServerStats {
    return {
      open,
      inFlight: this.#inFlight,
      bufferedBytes,
      aborted: this.#aborted,
      refused: this.#refused,
    };
  }
}

/** After this many turns of the event loop without a new connection, none is assumed to wait. */
const STILL_TURNS = 3;
/** A bound, for callers that connect faster than they are accepted. */
const TURNS_MAX = 2_000;

/**
 * Accepts the connections that the kernel has accepted and the server has not, before the server stops
 * listening: closing the listening socket would reset them, with their requests, and the callers would see
 * `ECONNRESET`. uWebSockets.js accepts all of them in one turn, Node one in each (measured: of 20 concurrent
 * callers, 12 in three turns). Only connections between the last turn and the close are still reset; a load
 * balancer that checks readiness sends none by then.
 * @param taken connections so far, if the server knows
 */
export async function acceptWaiting(taken: () => number = () => 0): Promise<void> {
  let known = taken();
  for (let turns = 0, still = 0; still < STILL_TURNS && turns < TURNS_MAX; turns++) {
    await turn();
    still = taken() === known ? still + 1 : 0;
    known = taken();
  }
}
