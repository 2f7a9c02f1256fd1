/**
 * Holds back changes that no stream holds and that a restored database would lack: members, enrolments, clips,
 * configuration, and their ends.
 */
export class Gate {
  #isOpen = true;
  readonly #inside = new Set<Promise<void>>();

  /** Does the work; does nothing while the gate is closed. */
  async pass(work: () => Promise<void>): Promise<void> {
    if (!this.#isOpen) return;
    const passing = work();
    this.#inside.add(passing);
    await passing.finally(() => this.#inside.delete(passing));
  }

  /** Resolves when all work that had begun is answered. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.allSettled([...this.#inside]);
  }

  open(): void {
    this.#isOpen = true;
  }
}
