import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingInForce } from "#runtime";

/** `<data dir>/run.json`, mode 0600 (it holds passwords): where a running instance is, for the demo and the command line. */
export interface RunFile {
  /** Of the all-in-one process. The file is of a dead instance if no such process runs. */
  readonly pid: number;
  readonly publisherUrl: string;
  readonly opsUrl: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly natsMonitorUrl?: string;
  readonly tokenFile: string;
  readonly platformUrl: string;
  readonly platformDatabaseUrl: string;
  readonly platformTokenFile: string;
  /** For `stampede config`, secrets as `set`. */
  readonly settings: readonly SettingInForce[];
}

export function writeRunFile(dataDir: string, content: RunFile): void {
  const file = join(dataDir, "run.json");
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeRunFile(dataDir: string): void {
  rmSync(join(dataDir, "run.json"), { force: true });
}
