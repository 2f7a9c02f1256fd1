import { SecretBox, type Settings } from "#runtime";
import { differingKeys, getText, observe, type ReadySource, Targets } from "#status";
import type { RunningInstance } from "../running-instance.ts";
import { opsUrlOf } from "../servers.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const CHECK = "services";

/**
 * Asks every process whether it is ready and makes progress, and compares their encryption keys.
 * @param keys this environment's, if it has any
 */
export async function* checkProcesses(
  urls: readonly string[],
  keys: string | undefined,
): AsyncGenerator<Finding> {
  const { sources, silent } = await observe(new Targets(urls));
  const faults = [
    ...silent.map(({ url, reason }) => `${url} does not answer (${reason})`),
    ...sources.flatMap(({ url, readiness }) =>
      wrongIn(readiness).map(([name, { detail }]) => `${new URL(url).host}: ${name}: ${detail}`),
    ),
  ];
  yield faults.length === 0 ? ok(CHECK, `all ${sources.length} ready`) : fail(CHECK, faults.join("; "));
  const differing = differingKeys(sources, keys === undefined ? undefined : new SecretBox(keys).checkValues);
  yield differing.length === 0 ? ok(KEYS, "all have the same") : fail(KEYS, differing.join("; "));
}

const KEYS = "keys of processes";

/** A process that is connected to everything is ready, and may still make no progress. */
function wrongIn({ ready, checks = {} }: ReadySource["readiness"]) {
  const wrong = Object.entries(checks).filter(([, { ok }]) => !ok);
  // In the all-in-one the name of the service stands before it: `ingest.progress`.
  return ready ? wrong.filter(([name]) => /(^|\.)progress$/.test(name)) : wrong;
}

/**
 * Asks the running instance whether it is ready; without one, the operations address of these settings.
 * @param isOurs false if the instance belongs to another installation, so that its answer does not matter
 */
export async function checkServices(
  settings: Pick<Settings, "opsHost" | "opsPort">,
  running: RunningInstance | undefined,
  isOurs: boolean,
): Promise<Finding> {
  const instance = isOurs ? running : undefined;
  const url = instance?.opsUrl ?? opsUrlOf(settings);
  if (!isOurs && running?.opsUrl === url) {
    const what = `process ${running.pid} at ${url} works on another database than DATABASE_URL`;
    return warn(CHECK, `unknown: ${what}: set STAMPEDE_OPS_PORT, or STAMPEDE_DATA_DIR`);
  }
  let readiness: ReadySource["readiness"];
  try {
    readiness = JSON.parse(await getText(`${url}/readyz?verbose`));
  } catch (error) {
    const { code = (error as Error).message } = error as NodeJS.ErrnoException;
    if (instance === undefined) return ok(CHECK, `none answers at ${url} (${code})`);
    return fail(CHECK, `process ${instance.pid} runs and does not answer at ${url} (${code}): restart it`);
  }
  const wrong = wrongIn(readiness);
  if (!readiness.ready) {
    const reasons = wrong.map(([name, { detail }]) => `${name}: ${detail}`);
    return fail(CHECK, `not ready at ${url}: ${reasons.join("; ")}`);
  }
  if (wrong.length > 0) return fail(CHECK, wrong.map(([, { detail }]) => detail).join("; "));
  return ok(CHECK, `ready at ${url}`);
}
