/** A value that cannot be turned into what the API takes. `message` completes "<field> …". */
export class UnreadableValue extends Error {
  /** What was found, in words, where it is no card data. */
  readonly detail: string | undefined;

  constructor(message: string, detail?: string) {
    super(message);
    this.name = "UnreadableValue";
    this.detail = detail;
  }
}
