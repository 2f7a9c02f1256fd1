import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingInForce } from "#runtime";
import { CommandError } from "./command-error.ts";

const TEXTS = [
  "publisherUrl",
  "opsUrl",
  "databaseUrl",
  "natsUrl",
  "tokenFile",
  "platformUrl",
  "platformDatabaseUrl",
  "platformTokenFile",
] as const;

/** The part of `<data dir>/run.json`, written by `npm start`, that commands read. */
export interface RunningInstance extends Readonly<Record<(typeof TEXTS)[number], string>> {
  readonly pid: number;
  /** Of an embedded NATS. */
  readonly natsMonitorUrl?: string;
  /** The address of its console, with a slash at its end, if it has one. */
  readonly consoleUrl?: string;
  readonly settings?: readonly SettingInForce[];
}

/** The instance that runs on this data directory; undefined if there is none. */
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
  // A crash leaves the file behind.
  return isRunning(instance.pid) ? instance : undefined;
}

/** Whether the instance works on this database. The user in the URL may differ, because an operator has a role of its own. */
export function worksOn({ databaseUrl }: RunningInstance, url: string): boolean {
  return placeOf(databaseUrl) === placeOf(url);
}

/** The server and the database of a URL; a database without a name has the user's. */
function placeOf(url: string): string {
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const database = pathname.length > 1 ? pathname : `/${username}`;
  return JSON.stringify([hostname, port || "5432", database, searchParams.get("host")]);
}

/** The running instance's write token. */
export function readTokenFile({ tokenFile }: RunningInstance): string {
  return readTrimmed(tokenFile, "put a write token there, from `stampede token create`");
}

/** The token of the running instance's platform. */
export function readPlatformTokenFile({ platformTokenFile }: RunningInstance): string {
  return readTrimmed(
    platformTokenFile,
    "put a platform token there, from `stampede token create --platform`",
  );
}

/** The text of a file. @param hint what to do if it cannot be read */
export function readTrimmed(file: string, hint: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`cannot read ${file} (${code}): ${hint}`);
  }
}

function parse(text: string): RunningInstance | undefined {
  try {
    const value = JSON.parse(text) as Partial<RunningInstance> | null;
    if (typeof value?.pid !== "number") return undefined;
    return TEXTS.every((name) => typeof value[name] === "string") ? (value as RunningInstance) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process of this machine runs. Signal 0 only asks; EPERM: it runs as another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
