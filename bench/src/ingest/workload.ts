import { SeededRandom } from "#domain";
import { mix } from "../kit/random.ts";

/** The state that an event asks for, also the recorded state of a transaction. 0: nothing. */
export const NOTHING = 0;
export const AUTHORIZED = 1;
export const CLEARED = 2;
export const REVERTED = 3;

/** Defines the requests: everything follows from this, in the generator and in the verification. */
export interface WorkloadSpec {
  readonly seed: number;
  /** Each run has its own transactions. */
  readonly run: number;
  /** Sequences whose requests are sent one after the other; in closed loop as many as connections. */
  readonly lanes: number;
  readonly requestsPerLane: number;
  /** Events in a request. */
  readonly size: number;
}

/** The events of one lane: those of request r are at [r × size, (r + 1) × size). */
export interface LanePlan {
  /** Number of the transaction within the run. */
  readonly transactions: Uint32Array;
  /** AUTHORIZED, CLEARED or REVERTED. */
  readonly states: Uint8Array;
}

const NEW = 0.8;
const CLEARING = 0.15;
const REVERSAL = 0.03;
/** The remaining 2 % repeat one of this many last events. */
const RESEND_WINDOW = 2048;

/**
 * 80 % new authorizations, 15 % clearings, 3 % reversals, 2 % resends. An event that refers to an earlier one
 * takes it from an earlier request of the same lane, so in closed loop from one that was answered; no
 * transaction occurs twice in one request. The lanes' transaction numbers interleave: all of them write near
 * the same end of the index, like real time-ordered ids.
 */
export function planLane(spec: WorkloadSpec, lane: number): LanePlan {
  const planner = new LanePlanner(spec, lane);
  for (let request = 0; request < spec.requestsPerLane; request++) planner.addRequest(request * spec.size);
  return planner;
}

class LanePlanner implements LanePlan {
  readonly transactions: Uint32Array;
  readonly states: Uint8Array;
  readonly #spec: WorkloadSpec;
  readonly #lane: number;
  readonly #random: SeededRandom;
  /** Authorizations of earlier requests that may still be cleared or reverted. */
  readonly #open: number[] = [];
  /** Transactions of the request being made. */
  readonly #used = new Set<number>();
  #next = 0;

  constructor(spec: WorkloadSpec, lane: number) {
    this.#spec = spec;
    this.#lane = lane;
    this.#random = new SeededRandom(mix(mix(spec.seed, spec.run), lane));
    this.transactions = new Uint32Array(spec.requestsPerLane * spec.size);
    this.states = new Uint8Array(this.transactions.length);
  }

  addRequest(first: number): void {
    const firstNew = this.#next;
    this.#used.clear();
    for (let at = first; at < first + this.#spec.size; at++) {
      const isDone = this.#addLater(at, first, this.#random.next());
      if (!isDone) this.#put(at, this.#number(this.#next++), AUTHORIZED);
    }
    for (let fresh = firstNew; fresh < this.#next; fresh++) this.#open.push(this.#number(fresh));
  }

  #number(next: number): number {
    return next * this.#spec.lanes + this.#lane;
  }

  #put(at: number, transaction: number, state: number): true {
    this.transactions[at] = transaction;
    this.states[at] = state;
    this.#used.add(transaction);
    return true;
  }

  /** An event about an earlier one, if the draw says so and there is one. */
  #addLater(at: number, first: number, draw: number): boolean {
    if (draw < NEW) return false;
    if (draw < NEW + CLEARING + REVERSAL) {
      const transaction = this.#takeOpen();
      return (
        transaction !== undefined && this.#put(at, transaction, draw < NEW + CLEARING ? CLEARED : REVERTED)
      );
    }
    const earlier = first - 1 - this.#random.between(0, Math.min(first, RESEND_WINDOW) - 1);
    const transaction = this.transactions[earlier];
    if (transaction === undefined || this.#used.has(transaction)) return false;
    return this.#put(at, transaction, this.states[earlier] as number);
  }

  #takeOpen(): number | undefined {
    const at = this.#random.between(0, this.#open.length - 1);
    const taken = this.#open[at];
    if (taken === undefined || this.#used.has(taken)) return undefined;
    this.#open[at] = this.#open.at(-1) as number;
    this.#open.pop();
    return taken;
  }
}
