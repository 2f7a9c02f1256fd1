/**
 * The memory for bodies that have not arrived completely (or for answers that are not read), in bytes, shared out by sender: a
 * sender may hold as
 * much as stays free beside it. So one alone takes half of the memory; beside it a second one finds room for a
 * body of the largest size (`assertLimits`); and n of them that take what they can leave 1 / (n + 1) of it to
 * all others. Bytes count as they arrive, since a length that is announced costs nothing yet.
 */
export class BodyBudget {
  readonly #bytes: number;
  #taken = 0;
  /** Bytes by sender, above 0. */
  readonly #held = new Map<string, number>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes `bytes` for this sender; false, with nothing taken, where that is more than its share. */
  take(sender: string, bytes: number): boolean {
    const held = (this.#held.get(sender) ?? 0) + bytes;
    if (held > this.#bytes - this.#taken - bytes) return false;
    this.#taken += bytes;
    this.#held.set(sender, held);
    return true;
  }

  /** Takes them in spite of the share: for what can no longer be refused. */
  takeAnyway(sender: string, bytes: number): void {
    this.#taken += bytes;
    this.#held.set(sender, (this.#held.get(sender) ?? 0) + bytes);
  }

  /** Whether this sender has its whole share. One that holds nothing has not, however much others took anyway. */
  isFull(sender: string): boolean {
    const held = this.#held.get(sender);
    return held !== undefined && held >= this.#bytes - this.#taken;
  }

  /** What one sender has taken is another's from now on; false, with nothing changed, above that one's share. */
  move(from: string, to: string, bytes: number): boolean {
    if ((this.#held.get(to) ?? 0) + bytes > this.#bytes - this.#taken) return false;
    this.release(from, bytes);
    this.#taken += bytes;
    this.#held.set(to, (this.#held.get(to) ?? 0) + bytes);
    return true;
  }

  /** Gives back what this sender has taken. */
  release(sender: string, bytes: number): void {
    this.#taken -= bytes;
    const held = (this.#held.get(sender) ?? 0) - bytes;
    if (held > 0) this.#held.set(sender, held);
    else this.#held.delete(sender);
  }
}
