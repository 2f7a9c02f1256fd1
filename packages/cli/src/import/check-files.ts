import { type BigIntStats, closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError } from "../command-error.ts";
import { STANDARD_INPUT } from "./input.ts";

/** The files of an import. Those of `written` are made or overwritten. */
interface ImportFiles {
  readonly inputs: readonly string[];
  readonly map: string | undefined;
  readonly written: ReadonlyArray<{
    readonly option: "--checkpoint" | "--rejects" | "--ignored";
    readonly file: string | undefined;
    /** Whether a file that begins like this is an import's own, and may be overwritten. */
    readonly isOwn: (beginning: string) => boolean;
  }>;
}

/** `isOwn` gets this much of a file. */
const BEGINNING_BYTES = 64 * 1024;

/**
 * Refuses to overwrite a file that the import reads, also by a link or another path, one file for two purposes, a file that is
 * not regular, and one with other content. A link that is made after this check is not seen.
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
        `${option} ${file} holds something else, and is not overwritten: move it away or name another file`,
      );
    }
  }
}

/** The device and inode of a file; if there is none, its path with the real path of its folder. */
function identityOf(file: string): string {
  const stat = statOf(file);
  if (stat !== undefined) return `${stat.dev}:${stat.ino}`;
  const path = resolve(file);
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    // Opening it will name what is wrong with the folder.
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
