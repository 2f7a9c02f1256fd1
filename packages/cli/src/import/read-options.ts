import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Environment } from "#runtime";
import { CommandError, explainFileError } from "../command-error.ts";
import { type AccessFlags, findPublisher } from "../publisher-access.ts";
import { checkFiles } from "./check-files.ts";
import { isCheckpoint } from "./checkpoint.ts";
import type { ImportMap } from "./import-map.ts";
import { type Format, type Input, openInput, STANDARD_INPUT } from "./input.ts";
import { parseMap } from "./parse-map.ts";
import { areRejects } from "./rejects-file.ts";
import type { ImportOptions } from "./run-import.ts";

/** The options of an import. */
export interface ImportFlags extends AccessFlags {
  readonly format?: Format;
  readonly map?: string;
  readonly memberBase?: string;
  readonly rate?: number;
  readonly async: boolean;
  readonly dryRun: boolean;
  readonly resume: boolean;
  readonly checkpoint?: string;
  readonly rejects?: string;
  readonly ignored?: string;
  readonly members: "make" | "existing";
}

/** Checks the command line and the map before it opens any input. */
export async function readOptions(
  files: readonly string[],
  flags: ImportFlags,
  env: Environment,
): Promise<ImportOptions> {
  const { memberBase, dryRun, resume } = flags;
  if (dryRun && resume) throw new CommandError("--dry-run sends nothing, so there is nothing to --resume");
  if (memberBase?.startsWith("mb_") === false) {
    throw new CommandError("--member-base takes the id of a memberbase, mb_…, as member-base/list gives it");
  }
  const once = files.filter((file) => file === STANDARD_INPUT).length < 2;
  if (!once) throw new CommandError("standard input (-) can be read once");
  const checkpointFile = findCheckpoint(files, flags);
  if (resume && checkpointFile === undefined) {
    throw new CommandError("give --checkpoint: standard input has no name that one could be found by");
  }
  checkFiles({
    inputs: files,
    map: flags.map,
    written: [
      { option: "--checkpoint", file: checkpointFile, isOwn: isCheckpoint },
      { option: "--rejects", file: flags.rejects, isOwn: areRejects },
      { option: "--ignored", file: flags.ignored, isOwn: areRejects },
    ],
  });
  const map = flags.map === undefined ? undefined : readMap(flags.map);
  const access = dryRun ? undefined : findPublisher(flags, env);
  const inputs: Input[] = [];
  try {
    for (const file of files) inputs.push(await openInput(file, flags.format, process.stdin));
  } catch (error) {
    // Standard input would keep the process waiting for its writer.
    for (const input of inputs) input.close();
    throw error;
  }
  return {
    inputs,
    map: map?.parsed,
    mapHash: map?.hash ?? null,
    memberBase,
    missing: flags.members === "existing" ? "refuse" : "make",
    access,
    respondAsync: flags.async,
    rate: flags.rate,
    resume,
    checkpointFile,
    rejectsFile: flags.rejects === undefined ? undefined : resolve(flags.rejects),
    ignoredFile: flags.ignored === undefined ? undefined : resolve(flags.ignored),
  };
}

function findCheckpoint(files: readonly string[], { checkpoint, dryRun }: ImportFlags): string | undefined {
  if (dryRun) return undefined;
  if (checkpoint !== undefined) return checkpoint;
  const first = files.find((file) => file !== STANDARD_INPUT);
  return first === undefined ? undefined : `${first}.checkpoint`;
}

function readMap(file: string): { readonly parsed: ImportMap; readonly hash: string } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw explainFileError(`cannot read the map ${file}`, error as NodeJS.ErrnoException);
  }
  return { parsed: parseMap(file, text), hash: createHash("sha256").update(text).digest("hex") };
}
