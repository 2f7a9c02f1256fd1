/**
 * A failure that nobody has been told of yet: nothing waited for the stream when it failed, and no listener was
 * given. The next call learns of it. If there is none, the program that ends by itself ends with this error,
 * as it would with an `error` event without a listener, instead of leaving with success.
 */
export class UnheardFailure {
  readonly #tell: () => never;

  constructor(error: Error) {
    this.#tell = () => {
      throw error;
    };
    process.once("beforeExit", this.#tell);
  }

  /** Somebody has been told. */
  heard(): void {
    process.removeListener("beforeExit", this.#tell);
  }
}
