import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { waitFor } from "#test-support";
import type { AttackBegun, AttackOrder } from "./attacker-main.ts";

const MAIN = new URL("./attacker-main.js", import.meta.url);
/** Far longer than it takes to send an attack's requests, even on a busy machine. */
const BEGIN_MS = 90_000;

/** A process that attacks on command, until it is stopped. */
export class Attacker {
  readonly #child: ChildProcess = fork(MAIN, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  #begun: AttackBegun | undefined;
  #ended: number | null | undefined;

  constructor() {
    this.#child.once("message", (message: AttackBegun) => {
      this.#begun = message;
    });
    this.#child.once("exit", (code) => {
      this.#ended = code;
    });
  }

  /** Resolves once the attack is in full effect. */
  async begin(order: AttackOrder): Promise<void> {
    const { pid } = this.#child;
    // It stands for separate machines: it must not take the services' share of this one.
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
    this.#child.send(order);
    const isBegun = () =>
      this.#begun ?? (this.#ended !== undefined && { error: `ended with ${this.#ended}` });
    const { error } = await waitFor(isBegun, { deadlineMs: BEGIN_MS, message: `begun: ${order.name}` });
    if (error !== undefined) throw new Error(`${order.name}: ${error}`);
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}

/** An address for each attack: an exhausted limit must not help or hurt the next attack. */
export function hostileAddress(name: string): string {
  const hash = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_536, 7);
  return `198.51.${hash >> 8}.${hash & 255}`;
}
