import { Parser, type Result } from "tap-parser";
import { SPENT } from "./runner-protocol.ts";

/** The result of one test file. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly skipped: number;
  /** One entry per failed assertion, or for the file itself if it broke off. */
  readonly failures: readonly Failure[];
  readonly ms: number;
  /** CPU time of the file's process and of its children that ended before it; Linux only, elsewhere 0. */
  readonly cpuMs: number;
  /** Its process's stderr, the last 32 KiB. */
  readonly stderr: string;
}

export interface Failure {
  readonly name: string;
  /** The stack, the diff, the actual and the expected value, in tap's form. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The output of one file so far. */
interface Told {
  passed: number;
  skipped: number;
  readonly failures: Failure[];
  ms: number;
  cpuMs: number;
}

export interface TapListener {
  /** A file begins. */
  readonly onFile?: () => void;
  /** All tests are over, and torn down. */
  readonly onDone?: () => void;
}

/** Counts the assertions in the TAP of one process: of one file, or of several, each of which is a subtest. */
export class TapOutput {
  readonly #files: readonly string[];
  readonly #told: Told[];
  readonly #parser = new Parser();
  readonly #onFile: TapListener["onFile"];
  readonly #onDone: TapListener["onDone"];
  /** The index of the running file. */
  #at = 0;
  /** How many files have begun. */
  #begun = 0;

  constructor(files: readonly string[], { onFile, onDone }: TapListener = {}) {
    this.#files = files;
    this.#onFile = onFile;
    this.#onDone = onDone;
    this.#told = files.map(() => ({ passed: 0, skipped: 0, failures: [], ms: 0, cpuMs: 0 }));
    if (files.length > 1) this.#tellApart();
    // The last line that tap's root prints.
    this.#parser.on("comment", (text: string) => /^# time=/.test(text) && onDone?.());
    // "result" comes for each assertion at any depth, and not again for the subtests that hold them.
    this.#parser.on("result", (result: Result) => {
      const told = this.#current;
      // In a file without assertions, the test that stands for the file would count as one.
      if (files.length > 1 && result.ok && result.name === files[this.#at]) return;
      if (result.skip || result.todo) told.skipped++;
      else if (result.ok) told.passed++;
      else told.failures.push({ name: result.fullname || result.name, details: result.diag ?? {} });
    });
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  /**
   * The results, once the process has ended. If the output is cut short, or does not match its plan, that is
   * a failure of the file that was running then, and so is any other fault. Later files are failures too.
   * @param code its exit code
   * @param wrongs other faults of its end
   */
  end(code: number | null, wrongs: readonly Failure[]): Omit<FileResult, "stderr">[] {
    this.#parser.end();
    const failed = this.#told.some(({ failures }) => failures.length > 0);
    if (!this.#parser.ok && !failed) this.#fail("its output is not whole");
    this.#current.failures.push(...wrongs);
    if (wrongs.length === 0 && code !== 0 && this.#parser.ok)
      this.#fail(`exited with ${code} although no test failed`);
    for (const [at, { passed, skipped, failures }] of this.#told.entries()) {
      if (passed + skipped + failures.length > 0) continue;
      const last = this.#files[this.#at] ?? "";
      const isLeftOut = this.#files.length > 1 && at >= this.#begun;
      failures.push({
        name: isLeftOut ? `its process ended with ${last}` : "it holds no tests",
        details: {},
      });
    }
    return this.#files.map((file, at) => ({ file, ...(this.#told[at] as Told) }));
  }

  get #current(): Told {
    return this.#told[this.#at] as Told;
  }

  #fail(name: string): void {
    this.#current.failures.push({ name, details: {} });
  }

  #tellApart(): void {
    this.#parser.on("child", ({ name }) => {
      const at = this.#files.indexOf(name);
      // tap announces the file after a failed hook without its name.
      if (at < 0) return;
      this.#at = at;
      this.#begun = at + 1;
      this.#onFile?.();
    });
    this.#parser.on("comment", (text: string) => {
      const [, cpuMs, ms] = new RegExp(`^# ${SPENT} (\\d+) (\\d+)\\s*$`).exec(text) ?? [];
      if (cpuMs === undefined) return;
      Object.assign(this.#current, { cpuMs: Number(cpuMs), ms: Number(ms) });
      if (this.#begun === this.#files.length) this.#onDone?.();
    });
  }
}
