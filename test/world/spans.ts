/** When something was away. Times are of `Date.now`. */
export class Spans {
  readonly #spans: { readonly from: number; until: number }[] = [];

  /** It is away from now on. @returns a function that says that it is back */
  begin(): () => void {
    const span = { from: Date.now(), until: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    return () => {
      span.until = Date.now();
    };
  }

  async during(work: () => Promise<unknown>): Promise<void> {
    const end = this.begin();
    await work();
    end();
  }

  /** Whether it was away at any moment between the two. */
  touch(from: number, until: number): boolean {
    return this.#spans.some((span) => span.from <= until && span.until >= from);
  }
}
