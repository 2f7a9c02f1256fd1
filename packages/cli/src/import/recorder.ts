import { type Checkpoint, type ImportIdentity, saveCheckpoint } from "./checkpoint.ts";
import { type RejectsFile, rowLine } from "./rejects-file.ts";
import type { RowAt, RowResult } from "./row-result.ts";
import { Tally } from "./tally.ts";

/** Between two checkpoints. After a crash the rows of this time are sent again. */
const SAVE_EVERY_MS = 250;

interface RecorderOptions {
  /** Undefined: no checkpoint is kept. */
  readonly checkpointFile: string | undefined;
  readonly identity: ImportIdentity;
  /** Where the import goes on. */
  readonly from: Checkpoint | undefined;
  readonly rejects: RejectsFile | undefined;
  /** Gets the rows with ignored fields. */
  readonly ignored?: RejectsFile | undefined;
  /** The names of the inputs, if there are several. */
  readonly names: readonly string[] | undefined;
}

/**
 * Writes rejected and ignored rows, then the checkpoint with the length of their files. A crash in between leaves rows that no
 * checkpoint counts; a resume cuts them off.
 */
export class Recorder {
  readonly tally: Tally;
  readonly #options: RecorderOptions;
  readonly #timer: NodeJS.Timeout;
  #input: number;
  #rows: number;
  #lines: string[] = [];
  #ignoredLines: string[] = [];
  #isChanged = false;
  #saving: Promise<void> | undefined;
  #failure: unknown;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.tally = new Tally(options.from?.tally);
    this.#input = options.from?.input ?? 0;
    this.#rows = options.from?.rows ?? 0;
    this.#timer = setInterval(() => void this.#saveInBackground(), SAVE_EVERY_MS);
  }

  /** Takes a row that is done, in order. */
  readonly add = (at: RowAt, result: RowResult): void => {
    this.tally.add(at, result);
    this.#input = at.input;
    this.#rows = at.ordinal;
    this.#isChanged = true;
    const { names, rejects, ignored } = this.#options;
    const file = names?.[at.input];
    if (result.outcome === "rejected") {
      if (rejects !== undefined) this.#lines.push(rowLine(file, at, result.rejection));
    } else if (result.ignored && ignored !== undefined) {
      this.#ignoredLines.push(rowLine(file, at, { ignored: result.ignored }));
    }
  };

  /** Lines in memory that are not written yet. */
  get pendingLines(): number {
    return this.#lines.length + this.#ignoredLines.length;
  }

  /** @throws the error if something could not be written */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Writes all that is done. */
  async save(isComplete = false): Promise<void> {
    while (this.#saving !== undefined) await this.#saving;
    this.throwIfFailed();
    if (!this.#isChanged && !isComplete) return;
    this.#saving = this.#write(isComplete)
      .catch((error: unknown) => {
        // Its lines are in no file. Nothing more is written, or a checkpoint would count past them.
        this.#failure ??= error;
        throw error;
      })
      .finally(() => {
        this.#saving = undefined;
      });
    await this.#saving;
  }

  /** Ends the writing in the background, once the present write has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving?.catch(() => {});
    await this.#options.rejects?.close();
    await this.#options.ignored?.close();
  }

  async #saveInBackground(): Promise<void> {
    if (this.#saving !== undefined || this.#failure !== undefined) return;
    // The failure is kept; the next `save` or `throwIfFailed` throws it.
    await this.save().catch(() => {});
  }

  /** Writes the state of one moment: results that come meanwhile are for the next write. */
  async #write(isComplete: boolean): Promise<void> {
    const { checkpointFile, identity, rejects, ignored } = this.#options;
    const lines = this.#lines;
    const ignoredLines = this.#ignoredLines;
    const position = { input: this.#input, rows: this.#rows, tally: this.tally.store() };
    this.#lines = [];
    this.#ignoredLines = [];
    this.#isChanged = false;
    if (lines.length > 0) await rejects?.append(lines.join(""));
    if (ignoredLines.length > 0) await ignored?.append(ignoredLines.join(""));
    if (checkpointFile === undefined) return;
    await saveCheckpoint(checkpointFile, {
      identity,
      ...position,
      is_complete: isComplete,
      rejects_bytes: rejects?.bytes ?? 0,
      ignored_bytes: ignored?.bytes ?? 0,
      saved_at: new Date().toISOString(),
    });
  }
}
