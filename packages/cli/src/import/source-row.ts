/** A row of a file in its format. */
export interface SourceRow {
  /** The line in which it begins, counted from 1 with the header. */
  readonly line: number;
  /** By column; if the row could not be read, its text. */
  readonly row: unknown;
  /** Why the row could not be read. The rows after it can. */
  readonly fault?: string;
}

/** The most bytes of a row in files of lines: a file without line ends must not fill the memory. */
export const MAX_ROW_BYTES = 1024 * 1024;

/** A value that cannot be converted for the API. `message` completes "<field> …". */
export class UnreadableValue extends Error {
  /** About the value, without card data. */
  readonly detail: string | undefined;

  constructor(message: string, detail?: string) {
    super(message);
    this.name = "UnreadableValue";
    this.detail = detail;
  }
}
