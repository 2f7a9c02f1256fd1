import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "./command-error.ts";

/** The part of `<data dir>/run.json`, written by `npm start`, that is read here. */
export interface RunningInstance {
  readonly pid: number;
  readonly publisherUrl: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly tokenFile: string;
}

/** The instance that runs on this data directory; undefined when none does. */
export function findRunningInstance(dataDir: string): RunningInstance | undefined {
  const file = join(dataDir, "run.json");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new CommandError(`cannot read ${file} (${code}): run this as the user who started Stampede`);
  }
  const instance = parse(text);
  if (instance === undefined) {
    throw new CommandError(`${file} was not written by this version of Stampede: restart it`);
  }
  return isRunning(instance.pid) ? instance : undefined;
}

/** The running instance's write token. */
export function readTokenFile(instance: RunningInstance): string {
  try {
    return readFileSync(instance.tokenFile, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `cannot read ${instance.tokenFile} (${code}): put a write token there, from \`stampede token create\``,
    );
  }
}

function parse(text: string): RunningInstance | undefined {
  try {
    const value = JSON.parse(text) as Partial<RunningInstance> | null;
    const { pid, publisherUrl, databaseUrl, natsUrl, tokenFile } = value ?? {};
    if (typeof pid !== "number" || typeof publisherUrl !== "string") return undefined;
    if (typeof databaseUrl !== "string" || typeof natsUrl !== "string") return undefined;
    if (typeof tokenFile !== "string") return undefined;
    return { pid, publisherUrl, databaseUrl, natsUrl, tokenFile };
  } catch {
    return undefined;
  }
}

/** A crash leaves the file behind; its process is gone then. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
