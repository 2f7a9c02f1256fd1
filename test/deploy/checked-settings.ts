import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "#contract";
import { makeEncryptionKey, readSettings, type Settings, SettingsError } from "#runtime";

/** What a file that `<KEY>_FILE` names would hold. */
const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL_FILE: "postgres://edge:secret@postgres:5432/stampede",
  STAMPEDE_PLATFORM_DATABASE_URL_FILE: "postgres://platform:secret@postgres:5432/stampede",
  NATS_URL_FILE: "nats://edge:secret@nats:4222",
  STAMPEDE_CONSOLE_TOKENS_FILE: "stp_live_first\nstp_live_second\n",
  STAMPEDE_ENCRYPTION_KEYS_FILE: makeEncryptionKey(new Date(0)),
};

/** What a deployment's environment for one process comes to. */
export interface CheckedSettings {
  /** Undefined if it is wrong. */
  readonly settings: Settings | undefined;
  /** What `stampede <service>` would refuse to start with. */
  readonly problems: readonly string[];
}

/**
 * Reads an environment as the service would: unknown names, wrong values and contradictions are problems. Files of secrets
 * exist only where it is deployed; for each, one with a value of its kind takes its place.
 */
export function checkSettings(env: Readonly<Record<string, string>>): CheckedSettings {
  const folder = mkdtempSync(join(tmpdir(), "stampede-settings-"));
  try {
    const given = Object.entries(env).map(([key, value]) => {
      const secret = SECRETS[key];
      if (secret === undefined) return [key, value];
      const file = join(folder, key);
      writeFileSync(file, secret);
      return [key, file];
    });
    return { settings: readSettings(Object.fromEntries(given)), problems: [] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { settings: undefined, problems: error.problems };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How long a process may take from SIGTERM to its end: what runs it must not kill it before. */
export function drainTakesMs(env: Readonly<Record<string, string>>): number {
  return Number(env.STAMPEDE_DRAIN_DELAY_MS ?? 0) + LIMITS.drainMs;
}
