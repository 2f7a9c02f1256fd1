import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "#contract";
import { makeEncryptionKey, readSettings, type Settings, SettingsError } from "#runtime";

/** A value for the file that `<KEY>_FILE` names. */
const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL_FILE: "postgres://edge:secret@postgres:5432/stampede",
  STAMPEDE_PLATFORM_DATABASE_URL_FILE: "postgres://platform:secret@postgres:5432/stampede",
  NATS_URL_FILE: "nats://edge:secret@nats:4222",
  STAMPEDE_CONSOLE_TOKENS_FILE: "stp_live_first\nstp_live_second\n",
  STAMPEDE_ENCRYPTION_KEYS_FILE: makeEncryptionKey(new Date(0)),
};

/** The result of a deployment's environment for one process. */
export interface CheckedSettings {
  /** Undefined if the environment is wrong. */
  readonly settings: Settings | undefined;
  /** The errors with which `stampede <service>` would refuse to start. */
  readonly problems: readonly string[];
}

/**
 * Reads an environment as the service would: unknown names, wrong values and contradictions are problems. The
 * files of secrets exist only in a deployment; for each, a file with a value of its kind takes its place.
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

/** How long a process may take from SIGTERM to its end: its supervisor must not kill it earlier. */
export function drainTakesMs(env: Readonly<Record<string, string>>): number {
  return Number(env.STAMPEDE_DRAIN_DELAY_MS ?? 0) + LIMITS.drainMs;
}
