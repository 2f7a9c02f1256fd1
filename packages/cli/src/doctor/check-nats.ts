import { LIMITS } from "#contract";
import {
  askOwners,
  connectStream,
  inspectTopology,
  readServerReport,
  type ServerReport,
  type Stream,
  topologyOf,
} from "#nats";
import { createLog, natsVersionWarning, type Settings, StartError } from "#runtime";
import { explainFailure } from "../command-error.ts";
import type { ClockReading } from "./check-clocks.ts";
import type { DatabaseNames } from "./check-databases.ts";
import { checkNatsEncryption, checkNatsStore } from "./check-disks.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

interface NatsQuestion {
  readonly url: string;
  /** STAMPEDE_NATS_MONITOR_URL, or the running instance's; if empty, the fsync mode stays unknown. */
  readonly monitorUrls: readonly string[];
  readonly settings: Settings;
  readonly names: DatabaseNames;
  readonly now: () => number;
}

/** All checks of NATS. Adds its time to `clocks`. */
export async function* checkNats(
  { url, monitorUrls, settings, names, now }: NatsQuestion,
  clocks: ClockReading[],
): AsyncGenerator<Finding> {
  let stream: Stream;
  try {
    stream = await connectStream({
      url,
      name: "operator",
      prefix: settings.streamPrefix,
      access: settings,
      log: createLog({ service: "doctor", level: "silent" }),
    });
  } catch (error) {
    yield fail(
      "nats",
      `${explainFailure(error)}${isRights(error) ? "; doctor needs the operator's NATS_URL" : ""}`,
    );
    return;
  }
  try {
    yield judgeServer(stream);
    yield* checkSync(monitorUrls, settings);
    yield judgePayload(stream.nats.info?.max_payload ?? 0);
    yield* checkStreams(stream, settings, now, clocks);
    yield await checkOwners(stream, names);
  } catch (error) {
    yield fail("streams", `${explainFailure(error)}: NATS did not answer for JetStream`);
  } finally {
    await stream.close();
  }
}

/** A service's NATS user may not even receive the answers to the operator's questions. */
function isRights(error: unknown): boolean {
  return error instanceof StartError && error.code === "nats_rights";
}

function judgeServer(stream: Stream): Finding {
  const version = stream.nats.info?.version ?? "unknown";
  const warning = natsVersionWarning(version);
  if (warning !== undefined) return fail("nats", warning);
  return ok("nats", `nats-server ${version} with JetStream at ${stream.nats.getServer()}`);
}

function judgePayload(bytes: number): Finding {
  const check = "nats max_payload";
  if (bytes >= LIMITS.messageBytesMax) return ok(check, `${bytes} bytes`);
  return fail(
    check,
    `${bytes} bytes, and messages may have ${LIMITS.messageBytesMax}: set max_payload: ${LIMITS.messageBytesMax} in nats.conf`,
  );
}

async function* checkStreams(
  stream: Stream,
  settings: Settings,
  now: () => number,
  clocks: ClockReading[],
): AsyncGenerator<Finding> {
  const check = "streams";
  const { wanted, present, findings, clock } = await inspectTopology(stream, topologyOf(settings), now);
  if (clock !== undefined) clocks.push({ of: "NATS", ...clock });
  for (const { severity, detail } of findings)
    yield severity === "fail" ? fail(check, detail) : warn(check, detail);
  if (findings.length === 0) yield ok(check, `${present} of ${wanted}, as the settings require`);
}

/** Processes on a copy of a database must not read the streams of the original. */
async function checkOwners(stream: Stream, names: DatabaseNames): Promise<Finding> {
  const check = "stream owners";
  for (const [side, name] of names) {
    const other = (await askOwners(stream, side)).find((one) => one !== name);
    if (other === undefined) continue;
    const readers = side === "publisher" ? "ingest or rewards" : "the platform";
    return fail(
      check,
      `${readers} of another database read these streams (${other}; this one is ${name}): ` +
        "if this is a copy, give it a NATS of its own",
    );
  }
  return ok(
    check,
    "no process of another database says that it reads these streams (doctor cannot ask the platform's processes, which are in a NATS account of their own; each of them keeps a copy out)",
  );
}

const CHECK = "nats durability";
const DO_THIS = "set `sync_interval: always` in the jetstream block of nats.conf";

/** Whether the servers sync before they acknowledge: a line for each monitoring port, because each server can lose data. */
async function* checkSync(
  urls: readonly string[],
  settings: Pick<Settings, "streamReplicas">,
): AsyncGenerator<Finding> {
  if (urls.length === 0) yield warn(CHECK, "unknown: set STAMPEDE_NATS_MONITOR_URL");
  for (const url of urls) {
    try {
      yield await checkNatsStore("nats disk", url);
      yield await checkNatsEncryption("nats encryption", url);
      yield judge(url, await readServerReport(url), Number(settings.streamReplicas));
    } catch (error) {
      const reason = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message;
      yield warn(
        CHECK,
        `unknown: ${url} does not answer (${reason}): start it, or correct STAMPEDE_NATS_MONITOR_URL`,
      );
    }
  }
}

function judge(url: string, { version, syncMode }: ServerReport, replicas: number): Finding {
  const warning = natsVersionWarning(version);
  if (warning !== undefined) return fail(CHECK, `${url}: ${warning}`);
  if (syncMode === "always") return ok(CHECK, `${url} syncs every write`);
  if (syncMode === "unknown") return warn(CHECK, `unknown: the server at ${url} has no JetStream`);
  const what = `the server at ${url} does not sync every write`;
  // Replicas on other machines survive the power loss of one; only if all lose power at once, unsynced messages are lost.
  if (replicas > 1)
    return warn(CHECK, `${what}: if all lose power at once, acknowledged events are lost; ${DO_THIS}`);
  return fail(CHECK, `${what}: a power loss loses acknowledged events; ${DO_THIS}`);
}
