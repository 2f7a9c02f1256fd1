import { type Checkpoint, type ImportIdentity, saveCheckpoint } from "./checkpoint.ts";
import type { Fate, RowAt } from "./fate.ts";
import { ignoredLine, type RejectsFile, rejectLine } from "./rejects-file.ts";
import { Tally } from "./tally.ts";

/** How often what is done is written down. A crash has rows of this time sent again. */
const SAVE_EVERY_MS = 250;

export interface RecorderOptions {
  /** Undefined: how far the import is, is not kept. */
  readonly checkpointFile: string | undefined;
  readonly identity: ImportIdentity;
  /** Where the import goes on. */
  readonly from: Checkpoint | undefined;
  readonly rejects: RejectsFile | undefined;
  /** Gets the rows of which something was ignored. */
  readonly ignored?: RejectsFile | undefined;
  /** The names of the inputs, if there are several. */
  readonly names: readonly string[] | undefined;
}

/**
 * Writes down what is done: rejected and ignored rows first, then the checkpoint that says how many there are. So a crash in between
 * leaves rejected rows that no checkpoint names, which are cut off when the import goes on.
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
  readonly add = (at: RowAt, fate: Fate): void => {
    this.tally.add(at, fate);
    this.#input = at.input;
    this.#rows = at.ordinal;
    this.#isChanged = true;
    if (fate.outcome === "rejected" && this.#options.rejects !== undefined) {
      this.#lines.push(rejectLine(this.#options.names?.[at.input], at, fate.rejection));
    }
    if (fate.outcome !== "rejected" && fate.ignored && this.#options.ignored !== undefined) {
      this.#ignoredLines.push(ignoredLine(this.#options.names?.[at.input], at, fate.ignored));
    }
  };

  /** Rejected and ignored rows that are not written yet. They are in memory. */
  get pendingLines(): number {
    return this.#lines.length + this.#ignoredLines.length;
  }

  /** @throws what the disk said when something could not be written */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Writes down what is done by now. */
  async save(isComplete = false): Promise<void> {
    while (this.#saving !== undefined) await this.#saving;
    this.throwIfFailed();
    if (!this.#isChanged && !isComplete) return;
    this.#saving = this.#write(isComplete)
      .catch((error: unknown) => {
        // Its lines are in no file. Nothing is written after that, or a checkpoint would pass them.
        this.#failure ??= error;
        throw error;
      })
      .finally(() => {
        this.#saving = undefined;
      });
    await this.#saving;
  }

  /** Ends the writing in the background, after what is under way. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving?.catch(() => {});
    await this.#options.rejects?.close();
    await this.#options.ignored?.close();
  }

  async #saveInBackground(): Promise<void> {
    if (this.#saving !== undefined || this.#failure !== undefined) return;
    // It is kept, and thrown by whoever saves or asks next.
    await this.save().catch(() => {});
  }

  /** All that is written is of the same moment: fates that come meanwhile are for the next time. */
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
