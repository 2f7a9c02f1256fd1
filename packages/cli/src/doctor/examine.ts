import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, readSettings, type Settings, SettingsError } from "#runtime";
import { explainFailure } from "../explain-failure.ts";
import { findDatabases } from "../find-database.ts";
import { findNats } from "../find-nats.ts";
import { findRunningInstance, type RunningInstance, worksOn } from "../running-instance.ts";
import { type ClockReading, checkClocks } from "./check-clocks.ts";
import { checkDatabases } from "./check-databases.ts";
import { checkMachine } from "./check-machine.ts";
import { checkNats } from "./check-nats.ts";
import { checkServices } from "./check-services.ts";
import { type Finding, fail, ok } from "./finding.ts";

const { engines } = JSON.parse(
  readFileSync(new URL("../../../../../package.json", import.meta.url), "utf8"),
) as { engines: { node: string } };

export interface Examination {
  readonly env: Environment;
  /** This machine's clock, milliseconds since 1970. */
  readonly now?: () => number;
}

/** Looks at everything that Stampede rests on, one finding after the other as it comes, and changes nothing. */
export async function* examine({ env, now = Date.now }: Examination): AsyncGenerator<Finding> {
  let settings: Settings;
  try {
    settings = readSettings(env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const problem of error.problems) yield fail("environment", problem);
    // With a default in the place of what was meant, everything else would be about another installation.
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
  try {
    const databases = findDatabases(settings);
    const keys = settings.encryptionKeys ?? (isOurs ? keysOf(settings, instance) : undefined);
    yield* checkDatabases({ databases, settings, keys, now }, clocks);
  } catch (error) {
    yield fail("database", explainFailure(error));
  }
  try {
    const monitorUrls = monitorsOf(settings, instance);
    yield* checkNats({ url: findNats(settings), monitorUrls, settings, now }, clocks);
  } catch (error) {
    yield fail("nats", explainFailure(error));
  }
  if (clocks.length > 0) yield checkClocks(clocks);
  yield await checkServices(settings, instance, isOurs);
}

function monitorsOf({ natsUrl, natsMonitorUrls }: Settings, instance?: RunningInstance): readonly string[] {
  if (natsMonitorUrls.length > 0 || natsUrl !== undefined) return natsMonitorUrls;
  return instance?.natsMonitorUrl === undefined ? [] : [instance.natsMonitorUrl];
}

/** The all-in-one start keeps the key that it made beside its data. */
function keysOf({ dataDir }: Settings, instance: RunningInstance | undefined): string | undefined {
  if (instance === undefined) return undefined;
  try {
    return readFileSync(join(dataDir, "encryption-key"), "utf8").trim();
  } catch {
    return undefined;
  }
}
