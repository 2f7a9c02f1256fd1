import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LIBRARIES = "/usr/lib";
const FAKETIME = "faketime/libfaketimeMT.so.1";

/**
 * The library that gives a process another time than the kernel's; undefined if Debian's package faketime is
 * missing.
 */
export function findFaketime(): string | undefined {
  const folders = readdirSync(LIBRARIES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => join(LIBRARIES, name, FAKETIME)).find((path) => existsSync(path));
}

/**
 * The clock of one process, set by the test: it takes on a new offset within a second, without a restart.
 * Time passes normally, and CLOCK_MONOTONIC stays untouched, as when an operator sets a clock.
 */
export class WrongClock {
  readonly #dir = mkdtempSync(join(tmpdir(), "stampede-clock-"));
  readonly #library: string;
  #offset = 0;

  /** @param library the result of `findFaketime` */
  constructor(library: string) {
    this.#library = library;
    this.set(0);
  }

  /** How many seconds the clock is ahead; behind: below 0. */
  get offset(): number {
    return this.#offset;
  }

  /** The environment of a process that goes by this clock, whenever it starts. */
  get env(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      // How many seconds it trusts its last look at the file: otherwise it would read the file at every look
      // at the clock.
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
  }

  set(offset: number): void {
    this.#offset = offset;
    // By a rename, so that no process reads half of the file.
    writeFileSync(`${this.#file}.new`, `${offset < 0 ? "" : "+"}${offset}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#dir, "offset");
  }
}
