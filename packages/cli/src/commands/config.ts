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
import { type CommandContext, type Terminal, textTable } from "../terminal.ts";

export function addConfigCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  program
    .command("config")
    .description("print every setting: its value (secrets are hidden), its source, its meaning")
    .option("--check", "print only problems; fails if there is one", false)
    .option("--json", "one JSON document", false)
    .addOption(
      new Option("--service <name>", "also check the settings that this service needs").choices(
        SERVICE_NAMES,
      ),
    )
    .action((flags: ConfigFlags) => {
      const problems = findProblems(env, flags.service);
      showProblems(problems, flags, terminal);
      if (problems.length > 0) exit(1);
      else if (!flags.check) showConfig(env, flags, terminal);
    });
}

interface ConfigFlags {
  /** Only problems are printed. */
  readonly check: boolean;
  readonly json: boolean;
  /** The settings that this service needs are checked as well. */
  readonly service?: ServiceName;
}

/** Writes a line for each problem of an environment; with `--check`, also that there is none. */
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

/** The settings to show, with notes if they are not this environment's. */
interface Shown {
  readonly rows: readonly SettingInForce[];
  readonly notes: readonly string[];
  /** By key: the value that this environment would give instead. */
  readonly elsewise: ReadonlyMap<string, unknown>;
}

/**
 * Writes the settings in force to `out`, in the order of their declaration; secrets as `set` or `not set`. They are those of
 * the running all-in-one, which `err` says, and otherwise this environment's.
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

/** The settings of the instance on this data directory, and notes about it. */
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

/** A value that the all-in-one start chose is chosen again, unless this environment sets another. */
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
