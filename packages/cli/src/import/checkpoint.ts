import { readFile, realpath, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError, explainFileError } from "../command-error.ts";
import { syncToDisk } from "../sync-to-disk.ts";
import type { InputIdentity } from "./input.ts";
import type { StoredTally } from "./tally.ts";

const VERSION = 1;

/** An import is resumed only if these are the same. */
export interface ImportIdentity {
  readonly inputs: readonly (InputIdentity & { readonly name: string; readonly format: string })[];
  /** SHA-256 of the map's text; null without a map. */
  readonly map_sha256: string | null;
  readonly url: string;
  readonly member_base: string | null;
  /** The absolute path of the file of rejected rows. */
  readonly rejects: string | null;
  /** The file of rows with ignored fields. Absent in older checkpoints, which had none. */
  readonly ignored?: string | null;
}

/** The progress of an import. Holds no data of any row. */
export interface Checkpoint {
  readonly version: typeof VERSION;
  readonly identity: ImportIdentity;
  /** All rows of the inputs before this one are done, and this number of its own. */
  readonly input: number;
  readonly rows: number;
  readonly is_complete: boolean;
  readonly tally: StoredTally;
  /** The length of the file of rejected rows. */
  readonly rejects_bytes: number;
  readonly ignored_bytes?: number;
  readonly saved_at: string;
}

/**
 * Writes a checkpoint to a file beside it, syncs that, and renames it. A crash leaves the old checkpoint or this one. The sync
 * matters: a power loss must not bring back an old one that counts rejected rows which were cut off since. The target of a
 * link is replaced, not the link.
 * @throws CommandError if it cannot be written
 */
export async function saveCheckpoint(name: string, checkpoint: Omit<Checkpoint, "version">): Promise<void> {
  try {
    await replace(await realpath(name).catch(() => name), checkpoint);
  } catch (error) {
    throw explainFileError(`cannot write the checkpoint ${name}`, error as NodeJS.ErrnoException);
  }
}

async function replace(file: string, checkpoint: Omit<Checkpoint, "version">): Promise<void> {
  const beside = `${file}.new`;
  const text = `${JSON.stringify({ version: VERSION, ...checkpoint }, null, 2)}\n`;
  await writeFile(beside, text, { mode: 0o600, flush: true });
  await rename(beside, file);
  await syncToDisk(dirname(file)).catch((error: NodeJS.ErrnoException) => {
    if (!NO_DIRECTORY_SYNC.has(error.code ?? "")) throw error;
  });
}

/** Windows opens no directories, and some network file systems do not sync them. */
const NO_DIRECTORY_SYNC: ReadonlySet<string> = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"]);

/** Whether a file that begins like this is a checkpoint, of this version or another. */
export function isCheckpoint(beginning: string): boolean {
  return /^\{\s*"version":/.test(beginning);
}

/** @returns undefined if there is none @throws CommandError if there is something else under this name */
export async function loadCheckpoint(file: string): Promise<Checkpoint | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new CommandError(`cannot read the checkpoint ${file} (${code})`, { cause: error });
  }
  const checkpoint = parse(text);
  if (checkpoint !== undefined) return checkpoint;
  throw new CommandError(
    `${file} is no checkpoint of this version: import without --resume, from the beginning`,
  );
}

function parse(text: string): Checkpoint | undefined {
  try {
    const value = JSON.parse(text) as Partial<Checkpoint> | null;
    const isWhole =
      value?.version === VERSION &&
      Array.isArray(value.identity?.inputs) &&
      [value.input, value.rows, value.rejects_bytes].every((number) => Number.isSafeInteger(number)) &&
      Array.isArray(value.tally?.rejected);
    return isWhole ? (value as Checkpoint) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws CommandError that names what has changed since the checkpoint was made */
export function checkIdentity(file: string, was: ImportIdentity, is: ImportIdentity): void {
  const change = inputChange(was, is) ?? optionChange(was, is);
  if (change === undefined) return;
  throw new CommandError(
    `cannot resume from ${file}: ${change}. To start over, import without --resume: no event counts twice`,
  );
}

function inputChange(was: ImportIdentity, is: ImportIdentity): string | undefined {
  if (was.inputs.length !== is.inputs.length) {
    return `it is of ${was.inputs.length} files, and there are ${is.inputs.length} now`;
  }
  for (const [i, before] of was.inputs.entries()) {
    const now = is.inputs[i];
    if (now === undefined) continue;
    if (before.size !== now.size) return `${now.name} had ${before.size} bytes, and has ${now.size} now`;
    if (before.sha256 !== now.sha256) return `${now.name} has changed`;
    if (before.format !== now.format)
      return `${now.name} was read as ${before.format}, and not as ${now.format}`;
  }
  return undefined;
}

function optionChange(was: ImportIdentity, is: ImportIdentity): string | undefined {
  if (was.map_sha256 !== is.map_sha256) return "the map is another one";
  if (was.url !== is.url) return `it is of an import to ${was.url}, and not to ${is.url}`;
  if (was.member_base !== is.member_base) return `it is of --member-base ${was.member_base ?? "(none)"}`;
  if (was.rejects !== is.rejects) return `it is of --rejects ${was.rejects ?? "(none)"}`;
  const before = was.ignored ?? null;
  if (before !== (is.ignored ?? null)) return `it is of --ignored ${before ?? "(none)"}`;
  return undefined;
}
