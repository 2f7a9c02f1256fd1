/**
 * The memory for bodies that have not arrived completely (or for answers that are not read), in bytes, shared
 * by sender: a sender may hold as much as stays free. So a single one takes half of the memory; a second one
 * then still finds room for a body of the largest size (`assertLimits`); and n of them that take all they can
 * leave 1 / (n + 1) of it to the others. Bytes count as they arrive, because an announced length costs
 * nothing yet.
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

  /** Takes `bytes` for this sender; false, with nothing taken, if that exceeds its share. */
  take(sender: string, bytes: number): boolean {
    const held = (this.#held.get(sender) ?? 0) + bytes;
    if (held > this.#bytes - this.#taken - bytes) return false;
    this.#taken += bytes;
    this.#held.set(sender, held);
    return true;
  }

  /** Takes them regardless of the share: for data that can no longer be refused. */
  takeAnyway(sender: string, bytes: number): void {
    this.#taken += bytes;
    this.#held.set(sender, (this.#held.get(sender) ?? 0) + bytes);
  }

  /**
   * Whether this sender has used up its share. A sender that holds nothing has not, however much others took
   * beyond theirs.
   */
  isFull(sender: string): boolean {
    const held = this.#held.get(sender);
    return held !== undefined && held >= this.#bytes - this.#taken;
  }

  /** Moves a sender's bytes to another sender; false, with nothing changed, beyond that one's share. */
  move(from: string, to: string, bytes: number): boolean {
    if ((this.#held.get(to) ?? 0) + bytes > this.#bytes - this.#taken) return false;
    this.release(from, bytes);
    this.#taken += bytes;
    this.#held.set(to, (this.#held.get(to) ?? 0) + bytes);
    return true;
  }

  /** Gives back bytes of this sender. */
  release(sender: string, bytes: number): void {
    this.#taken -= bytes;
    const held = (this.#held.get(sender) ?? 0) - bytes;
    if (held > 0) this.#held.set(sender, held);
    else this.#held.delete(sender);
  }
}
