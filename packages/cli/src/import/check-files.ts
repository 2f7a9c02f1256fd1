import { type BigIntStats, closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError } from "../command-error.ts";
import { STANDARD_INPUT } from "./input.ts";

/** The files of an import. Those of `written` are made, or written over. */
export interface ImportFiles {
  readonly inputs: readonly string[];
  readonly map: string | undefined;
  readonly written: ReadonlyArray<{
    readonly option: "--checkpoint" | "--rejects" | "--ignored";
    readonly file: string | undefined;
    /** Whether something that begins like this is one of ours, so that it may be written over. */
    readonly isOwn: (beginning: string) => boolean;
  }>;
}

/** How much of a file is looked at to see what it is. */
const BEGINNING_BYTES = 64 * 1024;

/**
 * Refuses to write over what the user did not mean: a file that the import reads, under whatever name (by link, by another path),
 * one file for two purposes, something that is no regular file, and a file that holds something else.
 *
 * It looks before the files are opened, so a link that is made in between is not seen.
 * @throws CommandError
 */
export function checkFiles({ inputs, map, written }: ImportFiles): void {
  const taken = new Map<string, string>();
  for (const input of inputs)
    if (input !== STANDARD_INPUT) taken.set(identityOf(input), `${input}, which is imported`);
  if (map !== undefined) taken.set(identityOf(map), `${map}, which is the map`);
  for (const { option, file, isOwn } of written) {
    if (file === undefined) continue;
    const identity = identityOf(file);
    const other = taken.get(identity);
    if (other !== undefined) throw new CommandError(`${option} ${file} is ${other}: name another file`);
    taken.set(identity, `${file}, which is written by ${option}`);
    const stat = statOf(file);
    if (stat === undefined) continue;
    if (!stat.isFile()) throw new CommandError(`${option} ${file} is not a regular file: name another file`);
    if (stat.size > 0n && !isOwn(beginningOf(file))) {
      throw new CommandError(
        `${option} ${file} holds something else, and is not written over: move it away or name another file`,
      );
    }
  }
}

/** Device and inode of what is there; of what is not, its path with the real path of its folder. */
function identityOf(file: string): string {
  const stat = statOf(file);
  if (stat !== undefined) return `${stat.dev}:${stat.ino}`;
  const path = resolve(file);
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    // Opening it will say what is wrong with the folder.
    return path;
  }
}

function statOf(file: string): BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

function beginningOf(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(BEGINNING_BYTES);
    return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(descriptor);
  }
}
