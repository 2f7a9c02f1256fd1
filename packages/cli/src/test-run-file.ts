import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningInstance } from "./running-instance.ts";

/**
 * For tests: writes `run.json` as an all-in-one on this directory does, with these fields. For the rest it is this process,
 * and nothing listens at its addresses.
 */
export function writeRunFile(dataDir: string, fields: object = {}): void {
  const [url, database] = ["http://127.0.0.1:1", "postgres://user@127.0.0.1:1/x"];
  const instance: RunningInstance = {
    pid: process.pid,
    publisherUrl: url,
    platformUrl: url,
    opsUrl: url,
    databaseUrl: database,
    platformDatabaseUrl: database,
    natsUrl: "nats://user@127.0.0.1:1",
    tokenFile: join(dataDir, "token"),
    platformTokenFile: join(dataDir, "platform-token"),
  };
  writeFileSync(join(dataDir, "run.json"), JSON.stringify({ ...instance, ...fields }));
}
