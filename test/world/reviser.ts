import { setTimeout as delay } from "node:timers/promises";
import type { Caller } from "./caller.ts";
import type { Gate } from "./gate.ts";
import { type Offers, PROGRAMS, programBody, succeed } from "./offers.ts";

const EVERY_MS = 7_000;

/** A reward of a program: it came into force after `from`, and was in force by `until`. By `Date.now`. */
interface Revision {
  readonly from: number;
  readonly until: number;
  readonly reward: number;
}

/**
 * Changes the rewards of programs while everything runs. A purchase earns the reward in force when it was
 * authorized; a purchase that was authorized during the request of a change earns either.
 */
export class Reviser {
  readonly #caller: Caller;
  readonly #offers: Offers;
  /** By index in `PROGRAMS`; the oldest reward first. */
  readonly #revisions: readonly Revision[][];
  count = 0;
  readonly #gate: Gate;

  constructor(caller: Caller, offers: Offers, gate: Gate) {
    this.#gate = gate;
    this.#caller = caller;
    this.#offers = offers;
    this.#revisions = PROGRAMS.map(({ reward }) =>
      reward === "refund" ? [] : [{ from: 0, until: 0, reward: reward[0] as number }],
    );
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await delay(EVERY_MS);
      if (!isOver()) await this.#gate.pass(() => this.#revise());
    }
  }

  async #revise(): Promise<void> {
    for (const [i, terms] of PROGRAMS.entries()) {
      const revisions = this.#revisions[i] as Revision[];
      if (terms.reward === "refund") continue;
      const { name: _name, ...rest } = programBody(terms, revisions.length) as { name: string };
      const body = { id: this.#offers.programIds[i], name: terms.name, ...rest };
      const from = Date.now();
      await succeed(this.#caller, "platform", "loyalty-program/upsert", body);
      const reward = terms.reward[revisions.length % terms.reward.length] as number;
      revisions.push({ from, until: Date.now(), reward });
      this.count++;
    }
  }

  /** The rewards that a program may give for a purchase authorized at that time. */
  rewardsAt(program: number, authedAt: number): number[] {
    const revisions = this.#revisions[program] as Revision[];
    const known = revisions.findLast(({ until }) => until <= authedAt);
    const asked = revisions.filter(({ from, until }) => from <= authedAt && authedAt < until);
    return [...(known === undefined ? [] : [known]), ...asked].map(({ reward }) => reward);
  }
}
