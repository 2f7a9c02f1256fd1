import type { Settings } from "#runtime";
import { CommandError } from "./command-error.ts";
import { findRunningInstance } from "./running-instance.ts";

/** The NATS that a command works on: NATS_URL, else that of the running instance. */
export function findNats({ natsUrl, dataDir }: Pick<Settings, "natsUrl" | "dataDir">): string {
  const url = natsUrl ?? findRunningInstance(dataDir)?.natsUrl;
  if (url !== undefined) return url;
  throw new CommandError(
    `no NATS: set NATS_URL, or start Stampede with \`npm start\` (none runs on ${dataDir})`,
  );
}
