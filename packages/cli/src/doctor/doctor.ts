import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { type Environment, findUnknown, readSettings, type Settings, SettingsError } from "#runtime";
import { explainFailure } from "../command-error.ts";
import { findRunningInstance, type RunningInstance, worksOn } from "../running-instance.ts";
import { findDatabases, findNats } from "../servers.ts";
import type { CommandContext, Terminal } from "../terminal.ts";
import { checkBackup } from "./check-backup.ts";
import { type ClockReading, checkClocks } from "./check-clocks.ts";
import { checkConsole } from "./check-console.ts";
import { checkDatabases, type DatabaseNames } from "./check-databases.ts";
import { checkMachine } from "./check-machine.ts";
import { checkNats } from "./check-nats.ts";
import { checkProcesses, checkServices } from "./check-services.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

export function addDoctorCommand(
  program: Command,
  { terminal, env, givenEnv = env, exit }: CommandContext,
): void {
  program
    .command("doctor")
    .description(
      "check the machine, the servers, the streams and the keys, and say what to do; changes nothing, fails if a check fails",
    )
    .option(
      "--ops <url...>",
      "operations addresses of all processes (default: STAMPEDE_CONSOLE_OPS_URLS)",
      [],
    )
    .option("--json", "one JSON document", false)
    .action(async ({ json, ops }: { json: boolean; ops: readonly string[] }) => {
      if (!(await runDoctor({ env: givenEnv, json, ops }, terminal))) exit(1);
    });
}

/** As wide as the longest name of a check, so that lines printed one by one form columns. */
const NAME_WIDTH = 24;

/**
 * Prints a line for each check to `out`: ok, warn or fail, the name of the check, the finding, and what to do.
 * @returns whether no check failed
 */
export async function runDoctor(
  { json, ...examination }: Examination & { json: boolean },
  terminal: Terminal,
): Promise<boolean> {
  const findings: Finding[] = [];
  for await (const finding of examine(examination)) {
    findings.push(finding);
    const { status, check, detail } = finding;
    if (!json)
      terminal.out(`${status.padEnd(4)}  ${check.padEnd(NAME_WIDTH)}  ${detail.replaceAll("\n", " ")}`);
  }
  const count = (status: Finding["status"]) => findings.filter((one) => one.status === status).length;
  const failed = count("fail");
  if (json) terminal.out(JSON.stringify({ ok: failed === 0, checks: findings }, null, 2));
  else terminal.err(`${count("ok")} ok, ${count("warn")} to look at, ${failed} failed`);
  return failed === 0;
}

const { engines } = JSON.parse(
  readFileSync(new URL("../../../../../package.json", import.meta.url), "utf8"),
) as { engines: { node: string } };

interface Examination {
  readonly env: Environment;
  /** Operations addresses of all processes; empty: those of the settings. */
  readonly ops?: readonly string[];
  /** This machine's clock, milliseconds since 1970. */
  readonly now?: () => number;
}

/** Checks all that Stampede depends on, and changes nothing. */
async function* examine({ env, ops = [], now = Date.now }: Examination): AsyncGenerator<Finding> {
  let settings: Settings;
  // A service does not start with variables of NATS, but they do not make doctor look at another installation.
  const ofNats = findUnknown(env).filter(({ isOfNats }) => isOfNats);
  for (const { problem } of ofNats) yield warn("environment", `${problem}; a service does not start with it`);
  try {
    settings = readSettings(without(env, ofNats));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const problem of error.problems) yield fail("environment", problem);
    // With defaults in place of the wrong settings, the other checks would be about another installation.
    return;
  }
  yield ok("environment", "valid");
  yield* checkMachine(settings, engines.node);
  let instance: RunningInstance | undefined;
  try {
    instance = findRunningInstance(settings.dataDir);
  } catch (error) {
    yield fail("services", explainFailure(error));
    return;
  }
  const isOurs = instance === undefined || worksOn(instance, settings.databaseUrl ?? instance.databaseUrl);
  const clocks: ClockReading[] = [];
  const names: DatabaseNames = new Map();
  const keys = settings.encryptionKeys ?? (isOurs ? keysOf(settings, instance) : undefined);
  try {
    const databases = findDatabases(settings);
    const embedded = instance !== undefined && settings.databaseUrl === undefined;
    yield* checkDatabases({ databases, settings, keys, embedded, now }, clocks, names);
  } catch (error) {
    yield fail("database", explainFailure(error));
  }
  try {
    const monitorUrls = monitorsOf(settings, instance);
    yield* checkNats({ url: findNats(settings), monitorUrls, settings, names, now }, clocks);
  } catch (error) {
    yield fail("nats", explainFailure(error));
  }
  if (clocks.length > 0) yield checkClocks(clocks);
  // The all-in-one keeps its data in one directory, which is copied as a whole.
  if (instance === undefined) yield checkBackup(settings.backupDoneFile, now());
  yield checkConsole(settings, instance?.consoleUrl);
  const urls = ops.length > 0 ? ops : settings.consoleOpsUrls;
  if (urls.length > 0) yield* checkProcesses(urls, keys);
  else yield await checkServices(settings, instance, isOurs);
}

export function without(env: Environment, unknown: readonly { readonly key: string }[]): Environment {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !unknown.some((one) => one.key === key)));
}

function monitorsOf({ natsUrl, natsMonitorUrls }: Settings, instance?: RunningInstance): readonly string[] {
  if (natsMonitorUrls.length > 0 || natsUrl !== undefined) return natsMonitorUrls;
  return instance?.natsMonitorUrl === undefined ? [] : [instance.natsMonitorUrl];
}

/** The all-in-one start keeps its key in its data directory. */
function keysOf({ dataDir }: Settings, instance: RunningInstance | undefined): string | undefined {
  if (instance === undefined) return undefined;
  try {
    return readFileSync(join(dataDir, "encryption-key"), "utf8").trim();
  } catch {
    return undefined;
  }
}
