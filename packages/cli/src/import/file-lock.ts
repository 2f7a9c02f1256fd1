import { randomUUID } from "node:crypto";
import { link, open, readFile, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { identify } from "#embedded";
import { CommandError, explainFileError, isFileError } from "../command-error.ts";
import { isRunning } from "../running-instance.ts";

interface Holder {
  readonly pid: number;
  /** Tells the process from a later one with this pid. Absent in locks of older versions. */
  readonly startedAt?: string | undefined;
  readonly host: string;
  readonly since: string;
}

/**
 * Keeps a second import from writing a file that this one writes, by a file beside it that names this process.
 *
 * The lock is linked under its name when it is complete, so half of one is never read. An import takes over the lock of a
 * process of this machine that has ended; the lock of another machine's process stands. A third file, which exists for a
 * moment, keeps two imports from taking over at once; a crash in that moment leaves it, and the next import says so.
 */
export class FileLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @throws CommandError if another import has it */
  static async take(file: string): Promise<FileLock> {
    const path = `${file}.lock`;
    const own = `${path}.${randomUUID()}`;
    const { pid } = process;
    const startedAt = identify(pid)?.startedAt;
    const holder: Holder = { pid, startedAt, host: hostname(), since: new Date().toISOString() };
    try {
      await writeFile(own, JSON.stringify(holder), { mode: 0o600, flag: "wx" });
    } catch (error) {
      throw isFileError(error) ? explainFileError(`cannot write ${file}`, error) : error;
    }
    try {
      if (await linked(own, path)) return new FileLock(path);
      const before = await readHolder(path);
      if (before !== undefined && isAlive(before)) throw heldBy(file, path, before);
      await takeOver(file, path, own, before);
      return new FileLock(path);
    } finally {
      await unlink(own);
    }
  }

  release(): Promise<void> {
    return unlink(this.#path).catch(() => {
      // It was removed by hand.
    });
  }
}

/** Replaces the lock of `before`, unless another import has replaced it meanwhile. */
async function takeOver(file: string, path: string, own: string, before: Holder | undefined): Promise<void> {
  const turn = `${path}.turn`;
  try {
    await (await open(turn, "wx", 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new CommandError(`another import of ${file} begins just now; if there is none, remove ${turn}`);
  }
  try {
    const now = await readHolder(path);
    if (JSON.stringify(now) === JSON.stringify(before)) await unlink(path).catch(() => {});
    if (await linked(own, path)) return;
    throw heldBy(file, path, now);
  } finally {
    await unlink(turn);
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined if there is no lock, or its content is not one. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(path, "utf8")) as Partial<Holder> | null;
    return typeof holder?.pid === "number" && typeof holder.host === "string"
      ? (holder as Holder)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A process of another machine cannot be asked. A pid comes again, in a container that is started again even at once: the import
 * that was killed there, and the one that resumes it, are both process 1.
 */
function isAlive({ pid, host, startedAt }: Holder): boolean {
  if (host !== hostname()) return true;
  // Where processes of other users are hidden, only the pid can be asked for.
  const now = identify(pid)?.startedAt;
  return startedAt === undefined || now === undefined ? isRunning(pid) : now === startedAt;
}

function heldBy(file: string, path: string, holder: Holder | undefined): CommandError {
  const who = holder === undefined ? "" : ` (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
  return new CommandError(
    `another import writes ${file}${who}: wait for it, or name another file. If it does not run any more, remove ${path}`,
  );
}
