import { type Environment, fileKey, givenSetting, type SettingOrigin } from "./given-setting.ts";
import type { Setting } from "./setting.ts";
import { ALSO_KNOWN, SETTINGS, type Settings } from "./settings.ts";
import { explainUnknown, isNatsPassword } from "./unknown-variable.ts";

/** The environment is wrong: one sentence per variable, each with advice. */
export class SettingsError extends Error {
  readonly code = "wrong_environment";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`wrong environment: ${problems.join("; ")}`);
    this.name = "SettingsError";
    this.problems = problems;
  }
}

/** One setting and its value, for people to read. */
export interface SettingRow {
  readonly key: string;
  /** `set` or `not set` for a secret. */
  readonly value: unknown;
  readonly origin: SettingOrigin;
  /** The path of the file that holds the value, if one does. */
  readonly file?: string;
  readonly secret: boolean;
  readonly about: string;
}

/** Everything that an environment sets. */
interface SettingsReport {
  readonly settings: Settings;
  /** In the order of `SETTINGS`. */
  readonly rows: readonly SettingRow[];
}

const DECLARED = Object.entries(SETTINGS) as ReadonlyArray<[keyof Settings, Setting<unknown>]>;

/**
 * Reads the whole environment once. An empty variable counts as absent; a secret may be in a file that
 * `<KEY>_FILE` names. An unknown variable that begins with `STAMPEDE_` is an error, too, because a typo must
 * not silently leave a default in force. (Commands only warn of it: a shell may have variables of other
 * programs.)
 * @throws SettingsError naming all wrong variables
 */
export function readSettings(env: Environment = process.env): Settings {
  return reportSettings(env).settings;
}

/** Like `readSettings`, with the source of each value. */
export function reportSettings(env: Environment = process.env): SettingsReport {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const rows: SettingRow[] = [];
  for (const [name, setting] of DECLARED) {
    try {
      const given = givenSetting(setting, env);
      const value = readGiven(setting, given);
      values[name] = value;
      const { key, secret, about } = setting;
      rows.push({
        key,
        value: shown(setting, value),
        origin: given.origin,
        ...(given.file !== undefined && { file: given.file }),
        secret,
        about,
      });
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  if (problems.length === 0) problems.push(...demandAuthority(values as Partial<Settings>, values));
  const settings = Object.freeze(values) as Settings;
  // Only if every value is right: otherwise a default in place of a wrong value would be blamed.
  if (problems.length === 0) problems.push(...brokenRelations(settings));
  problems.push(...unknownVariables(env));
  if (problems.length > 0) throw new SettingsError(problems);
  return { settings, rows };
}

function readGiven(setting: Setting<unknown>, { text, name }: { text?: string; name: string }): unknown {
  if (text === undefined) return setting.fallback;
  try {
    return setting.read(text);
  } catch (error) {
    throw new Error(`${name} ${(error as Error).message}`);
  }
}

function unknownVariables(env: Environment): string[] {
  return findUnknown(env).map(({ problem }) => problem);
}

interface UnknownVariable {
  readonly key: string;
  readonly problem: string;
  /** Whether it is a variable of NATS, and no misspelling. */
  readonly isOfNats: boolean;
}

/** Variables that look like settings and are none, with the settings that may have been meant. */
export function findUnknown(env: Environment): readonly UnknownVariable[] {
  const known = settingNames();
  return Object.keys(env)
    .filter((key) => key.startsWith("STAMPEDE_") && !known.includes(key) && !ALSO_KNOWN.has(key))
    .map((key) => ({ key, problem: explainUnknown(key, known), isOfNats: isNatsPassword(key) }));
}

/** The variables that are read, including `<KEY>_FILE` of secrets. */
function settingNames(): string[] {
  return DECLARED.flatMap(([, setting]) => [setting.key, fileKey(setting) ?? []].flat());
}

/** The settings themselves, each once. */
export function declaredSettings(): ReadonlyArray<Omit<Setting<unknown>, "read">> {
  return DECLARED.map(([, setting]) => setting);
}

/** The effective settings by environment key, secrets shown as `set`. */
export function describeSettings(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(DECLARED.map(([name, setting]) => [setting.key, shown(setting, settings[name])]));
}

function shown({ secret }: Pick<Setting<unknown>, "secret">, value: unknown): unknown {
  if (!secret) return value;
  return value === undefined ? "not set" : "set";
}

/** Contradictions between settings that are valid alone, one sentence each. */
function brokenRelations(settings: Settings): string[] {
  const { httpHost, httpPort, platformHost, platformPort, consoleHost, consolePort, opsHost, opsPort } =
    settings;
  const apis = [
    ["STAMPEDE_HTTP_PORT", httpHost, httpPort],
    ["STAMPEDE_PLATFORM_PORT", platformHost, platformPort],
    ["STAMPEDE_CONSOLE_PORT", consoleHost, consolePort],
  ] as const;
  return apis
    .filter(([, host, port]) => isSameAddress(host, port, opsHost, opsPort))
    .map(([key]) => `${key} and STAMPEDE_OPS_PORT are both ${opsPort}: one process listens on both`);
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Port 0 means any free port. */
function isSameAddress(host: string, port: number, otherHost: string, otherPort: number): boolean {
  if (port === 0 || port !== otherPort) return false;
  return host === otherHost || EVERY_ADDRESS.has(host) || EVERY_ADDRESS.has(otherHost);
}

/**
 * Adds STAMPEDE_DATABASE_CA_FILE to the database URLs, in libpq's terms: so every connection made with them
 * demands TLS, this authority, and the host's name. Returns the faults, one sentence each.
 */
function demandAuthority(settings: Partial<Settings>, into: Record<string, unknown>): string[] {
  const { databaseCaFile } = settings;
  if (databaseCaFile === undefined) return [];
  const problems: string[] = [];
  for (const [name, key] of [
    ["databaseUrl", "DATABASE_URL"],
    ["platformDatabaseUrl", "STAMPEDE_PLATFORM_DATABASE_URL"],
  ] as const) {
    const url = settings[name];
    if (url === undefined) continue;
    const withAuthority = demand(url, databaseCaFile);
    if (withAuthority === undefined) {
      const doThis = "leave sslmode and sslrootcert out of it";
      problems.push(
        `STAMPEDE_DATABASE_CA_FILE demands sslmode=verify-full and ${key} says something else: ${doThis}`,
      );
    } else into[name] = withAuthority;
  }
  return problems;
}

function demand(url: string, caFile: string): string | undefined {
  const asked = new URL(url).searchParams;
  if ((asked.get("sslmode") ?? "verify-full") !== "verify-full" || asked.has("sslrootcert")) return undefined;
  const mode = asked.has("sslmode") ? "" : "sslmode=verify-full&";
  return `${url}${url.includes("?") ? "&" : "?"}${mode}sslrootcert=${encodeURIComponent(caFile)}`;
}
