import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StartError } from "#runtime";
import { identify, isRunning, type ProcessIdentity } from "./processes.ts";

export interface DataDirLock {
  /** The directory's real path. */
  readonly dir: string;
  /** Whether this instance still has it: it was neither moved nor removed, nor taken over by another. */
  isHeld(): boolean;
  /** Adds the URL that a second start is told about this instance. */
  announce(url: string): void;
  release(): void;
}

interface Holder extends ProcessIdentity {
  /** The directory that it holds, and that directory's device and inode: a copy of it has others. */
  readonly dir?: string;
  readonly place?: string | undefined;
  readonly url?: string;
}

const ATTEMPTS = 20;
/** What to do if the disk of the data directory is full. */
export const MAKE_ROOM = "free disk space, or set STAMPEDE_DATA_DIR to a directory of another disk";

/**
 * Locks a data directory: one instance per directory. The lock is a file that names its holder, by pid and
 * start time. A file that was left behind never blocks a start, because a holder that does not run any more
 * does not count. The lock knows only processes that it can see: do not share a data directory between
 * containers.
 *
 * The file appears by link(2), complete and only if there was none. A dead holder's file is first renamed
 * away, which only one of several starters can do; a starter that finds it has renamed the file of a living
 * holder puts it back.
 */
export function lockDataDir(path: string): DataDirLock {
  const dir = writableDir(path);
  const file = join(dir, "lock");
  const identity = identify(process.pid);
  if (!identity) throw new Error("this process cannot find itself");
  const self: Holder = { ...identity, dir, place: placeOf(dir) };
  const own = join(dir, `lock.${process.pid}`);
  try {
    writeFileSync(own, JSON.stringify(self), { mode: 0o600 });
    acquire(file, own, dir);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? full(dir, error) : error;
  } finally {
    rmSync(own, { force: true });
  }
  return {
    dir,
    isHeld() {
      const holder = readHolder(file);
      return holder?.pid === self.pid && holder.startedAt === self.startedAt && placeOf(dir) === self.place;
    },
    announce(url) {
      // Replaced, not rewritten, so that a starter never reads half of it.
      writeFileSync(own, JSON.stringify({ ...self, url }), { mode: 0o600 });
      renameSync(own, file);
    },
    release() {
      if (this.isHeld()) rmSync(file, { force: true });
    },
  };
}

function acquire(file: string, own: string, dir: string): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (tryLink(own, file)) return;
    const holder = readHolder(file);
    if (holder && isRunning(holder)) throw isCopy(dir, holder) ? copied(dir, holder) : inUse(dir, holder);
    const aside = `${own}.stale`;
    try {
      renameSync(file, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue; // released, or taken over by another starter
      throw error;
    }
    const taken = readHolder(aside);
    if (taken && isRunning(taken)) tryLink(aside, file);
    rmSync(aside, { force: true });
  }
  throw new StartError("data_dir_in_use", `${dir} is being started by several processes at once: start one`);
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    return undefined; // gone, or cut short by a power loss: it has no holder
  }
}

function placeOf(dir: string): string | undefined {
  const stat = statSync(dir, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

function isCopy(dir: string, { place }: Holder): boolean {
  return place !== undefined && place !== placeOf(dir);
}

/** An instance that started on it would end the servers of the other, which its records name. */
function copied(dir: string, holder: Holder): StartError {
  const doThis = "stop that one before you copy, or restore a backup (docs/operations/backup.md)";
  return new StartError(
    "data_dir_copied",
    `${dir} was copied from ${holder.dir ?? "another directory"} while Stampede ran there (process ${holder.pid}), ` +
      `so the files of its database do not fit together: ${doThis}`,
  );
}

function full(dir: string, cause: unknown): StartError {
  return new StartError("data_dir_full", `the disk of ${dir} is full: ${MAKE_ROOM}`, { cause });
}

function inUse(dir: string, holder: Holder): StartError {
  const where = holder.url ? `, at ${holder.url}` : "";
  const doThis = `stop it (kill ${holder.pid}), or set STAMPEDE_DATA_DIR to another directory`;
  return new StartError(
    "data_dir_in_use",
    `Stampede already runs on ${dir} (process ${holder.pid}${where}): ${doThis}`,
  );
}

/**
 * Makes the directory if it is missing, and returns its real path. Other users may pass through it but not
 * list it.
 *
 * A directory that other users may write to is refused: they could put a key or a token there that they know, and this
 * process would take it for its own; or a lock that has it end another process.
 */
export function writableDir(dir: string): string {
  let real: string;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o711 });
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
    real = realpathSync(dir);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const doThis = "make it a directory that you may write to, or set STAMPEDE_DATA_DIR to another one";
    throw new StartError("data_dir_not_writable", `cannot write to ${dir} (${code}): ${doThis}`, {
      cause: error,
    });
  }
  assertPrivate(real);
  return real;
}

/** Root works for the owner of the directory, any other user for itself. Write access of the process's own group stays. */
function assertPrivate(dir: string): void {
  const { mode, uid, gid } = statSync(dir);
  const self = process.getuid?.();
  if (self === undefined) return;
  const isOthers = self !== 0 && uid !== self && uid !== 0;
  const isGroups = (mode & constants.S_IWGRP) !== 0 && gid !== process.getgid?.() && gid !== 0;
  const isOpen = (mode & constants.S_IWOTH) !== 0;
  if (!isOthers && !isGroups && !isOpen) return;
  const why = isOthers
    ? "belongs to another user"
    : isOpen
      ? "can be written to by every user"
      : `can be written to by the users of group ${gid}`;
  throw new StartError(
    "data_dir_not_private",
    `${dir} ${why}, who could put secrets of their own into it: take that right away (chmod go-w ${dir}), or set ` +
      "STAMPEDE_DATA_DIR to a directory of your own",
  );
}

/**
 * The random password in this file (mode 0600), made at the first call: 32 hex characters, so it needs no
 * escaping in a URL.
 */
export function secretIn(file: string): string {
  const known = readSecret(file);
  if (known !== undefined) return known;
  const secret = randomBytes(16).toString("hex");
  writeSecret(file, secret);
  return secret;
}

/**
 * Writes a secret so that only this user can read it (mode 0600). The file is replaced whole and flushed: what depends on the
 * secret is stored right afterwards, and a power loss must not leave one without the other.
 */
export function writeSecret(file: string, secret: string): void {
  const partial = `${file}.new`;
  writeFileSync(partial, `${secret}\n`, { mode: 0o600, flush: true });
  renameSync(partial, file);
  syncToDisk(dirname(file));
}

/** Flushes a file, or the entries of a directory. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}

/** What `secretIn` made, if it did. */
export function readSecret(file: string): string | undefined {
  try {
    const secret = readFileSync(file, "utf8").trim();
    return /^[0-9a-f]{32}$/.test(secret) ? secret : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}
