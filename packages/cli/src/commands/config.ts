import { type Command, Option } from "commander";
import { assertLimits, SERVICE_NAMES, type ServiceName } from "#contract";
import {
  type Environment,
  isSameValue,
  missingFor,
  readSettings,
  reportSettings,
  type SettingInForce,
  type Settings,
  SettingsError,
} from "#runtime";
import { CommandError } from "../command-error.ts";
import { findRunningInstance, worksOn } from "../running-instance.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

export function addConfigCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  program
    .command("config")
    .description("print every setting: its value (secrets are hidden), where it comes from, what it is for")
    .option("--check", "print nothing but what is wrong; fails if anything is", false)
    .option("--json", "one JSON document", false)
    .addOption(
      new Option("--service <name>", "look at what this service needs as well").choices(SERVICE_NAMES),
    )
    .action((flags: ConfigFlags) => {
      const problems = findProblems(env, flags.service);
      showProblems(problems, flags, terminal);
      if (problems.length > 0) exit(1);
      else if (!flags.check) showConfig(env, flags, terminal);
    });
}

interface ConfigFlags {
  /** Nothing is shown but what is wrong. */
  readonly check: boolean;
  readonly json: boolean;
  /** Everything that this service needs for its start is checked as well. */
  readonly service?: ServiceName;
}

/** Writes everything that is wrong with an environment, one line each; that nothing is, if that was the question. */
function showProblems(
  problems: readonly string[],
  { check, json, service }: ConfigFlags,
  terminal: Terminal,
): void {
  const valid = problems.length === 0;
  if (check && json) terminal.out(JSON.stringify({ valid, problems }, null, 2));
  else for (const problem of problems) terminal.err(`stampede: ${problem}`);
  if (valid && check && !json) {
    terminal.err(`the environment is valid${service === undefined ? "" : `, and ${service} misses nothing`}`);
  }
}

function findProblems(env: Environment, service: ServiceName | undefined): readonly string[] {
  try {
    // Every process asserts this first; it depends on no setting.
    assertLimits();
    const settings = readSettings(env);
    return service === undefined ? [] : missingFor(service, settings);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    return [(error as Error).message];
  }
}

/** The settings that are shown, with notes if they are not those of this environment. */
interface Shown {
  readonly rows: readonly SettingInForce[];
  readonly notes: readonly string[];
  /** By key: the value that this environment would give instead. */
  readonly elsewise: ReadonlyMap<string, unknown>;
}

/**
 * Writes the settings in force to `out`, in the order of their declaration; secrets as `set` or `not set`. If
 * an all-in-one is running they are its own, whatever this environment says, and `err` says so; otherwise
 * those of this environment.
 * @throws SettingsError
 */
function showConfig(env: Environment, { json }: ConfigFlags, terminal: Terminal): void {
  const { rows, notes, elsewise } = findShown(env);
  for (const note of notes) terminal.err(note);
  if (json) {
    const described = rows.map(({ key, value = null, origin, file, secret, about }) => {
      const here = elsewise.has(key) && { this_environment: elsewise.get(key) ?? null };
      return { key, value, origin, file, secret, about, ...here };
    });
    terminal.out(JSON.stringify(described, null, 2));
    return;
  }
  const cells = rows.map((row) => [row.key, shownValue(row.value), originOf(row), row.about]);
  for (const line of textTable([["setting", "value", "from", "what"], ...cells])) terminal.out(line);
}

function findShown(env: Environment): Shown {
  const { rows, settings } = reportSettings(env);
  const running = findSettingsInForce(settings);
  if (!Array.isArray(running.settings)) return { rows, notes: running.notes, elsewise: new Map() };
  const here = new Map<string, SettingInForce>(rows.map((row) => [row.key, row]));
  const elsewise = new Map<string, unknown>();
  for (const inForce of running.settings) {
    const given = here.get(inForce.key);
    if (given !== undefined && isElsewise(given, inForce)) elsewise.set(given.key, given.value);
  }
  const differing = [...elsewise].map(([key, value]) => `  ${key}: ${shownValue(value)}`);
  const hint = "this environment would give others, which hold only if the instance is started in it:";
  const notes = differing.length === 0 ? running.notes : [...running.notes, hint, ...differing];
  return { rows: running.settings, notes, elsewise };
}

/** The settings of the instance on this data directory, and what to say about it. */
function findSettingsInForce(
  here: Settings,
): Pick<Shown, "notes"> & { settings?: readonly SettingInForce[] } {
  try {
    const instance = findRunningInstance(here.dataDir);
    if (instance === undefined) return { notes: [] };
    const what = `process ${instance.pid}, which runs on ${here.dataDir}`;
    if (here.databaseUrl !== undefined && !worksOn(instance, here.databaseUrl)) {
      return { notes: [`the settings of this environment, not of ${what}: that works on another database`] };
    }
    if (instance.settings === undefined) {
      return { notes: [`the settings of this environment, not of ${what}: it did not write its own down`] };
    }
    return { notes: [`the settings of ${what}`], settings: instance.settings };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { notes: [`the settings of this environment: ${error.message}`] };
  }
}

/** What the start chose by itself it will choose again, unless it is told otherwise. */
function isElsewise(here: SettingInForce, inForce: SettingInForce): boolean {
  if (here.key === "STAMPEDE_DATA_DIR" || isSameValue(here.value, inForce.value)) return false;
  return here.origin !== "default" || inForce.origin !== "all-in-one";
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(",");
  if (value === undefined || value === null) return "not set";
  return value === "" ? '""' : String(value);
}

function originOf({ origin, file }: SettingInForce): string {
  return file === undefined ? origin : `${origin} ${file}`;
}

const GAP = "  ";

/** Turns rows into lines, each column as wide as its widest cell; the last column is not padded. */
function textTable(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}
