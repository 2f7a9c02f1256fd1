/**
 * Repeatable numbers (mulberry32) for samples, tests and benchmarks: the same seed gives the same series on
 * every machine and version, which `Math.random` does not. Not for secrets.
 */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From [0, 1), 32 bits of it. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T;
  }

  text(alphabet: string, length: number): string {
    let text = "";
    for (let i = 0; i < length; i++) text += alphabet[this.between(0, alphabet.length - 1)];
    return text;
  }

  shuffle<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, at: this.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}
