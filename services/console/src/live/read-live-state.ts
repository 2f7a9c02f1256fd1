import {
  type Change,
  describeReplay,
  HOP_SERVICES,
  type HopService,
  type HopStatus,
  quantileOf,
  type ReplayStatus,
  readReplays,
  readServiceHops,
  streamsOf,
} from "#status";
import { hopStreams } from "./hop-streams.ts";
import type { KnownProcesses } from "./known-processes.ts";
import type { LiveHop, LiveHopState, LiveProcess, LiveState } from "./live-answer.ts";
import { DONE, EVENTS, TIMED, type Timed } from "./observe-processes.ts";
import type { StreamsRead } from "./stream-reader.ts";

interface Sampled {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly change: Change;
  readonly silent: LiveState["silent"];
  readonly processes: KnownProcesses;
  readonly read: StreamsRead;
}

/** Combines the reports of processes and streams. An unknown number is null, never 0. */
export function readLiveState({ at, change, silent, processes, read }: Sampled): LiveState {
  const statuses = readServiceHops(change);
  const done = change.byStream(DONE, () => true);
  const replays = readReplays(change);
  const hops = HOP_SERVICES.map((service, i) =>
    readHop(service, statuses[i] as HopStatus, {
      change,
      done,
      read,
      processes: processes.of(service),
      replays: replays.filter(({ reader }) => reader === service),
    }),
  );
  const requests = { service: "edge" };
  const refused = { ...requests, code: "unavailable" };
  const isMeasured = change.isMeasured("edge");
  return {
    at,
    hops,
    requestsPerSecond: isMeasured ? change.rate("stampede_http_requests_total", requests) : null,
    refusedPerSecond: isMeasured ? change.rate("stampede_http_requests_total", refused) : null,
    silent,
    streamsProblem: read.problem,
  };
}

interface Parts {
  readonly change: Change;
  readonly done: ReadonlyMap<string, number>;
  readonly read: StreamsRead;
  readonly processes: readonly LiveProcess[];
  readonly replays: readonly ReplayStatus[];
}

function readHop(service: HopService, status: HopStatus, parts: Parts): LiveHop {
  const { change, processes } = parts;
  const isMeasured = change.isMeasured(service);
  const answers = processes.some(({ state }) => state !== "down");
  const { streams, lag, oldestSeconds } = hopStreams(service, parts);
  const unowned = answers ? unownedOf(service, parts) : 0;
  // The processes' reports about streams are some seconds old: they are used only if the streams cannot be asked.
  const isTold = answers && (streamsOf(service).length === 0 || parts.read.problem !== null);
  const rate = service === "edge" ? change.rate(`${EVENTS}_sum`, { service }) : status.rate;
  const state = stateOf(processes, unowned, change.isWhole);
  return {
    name: service,
    state,
    perSecond: isMeasured ? rate : null,
    unit: service === "edge" ? "events" : status.unit,
    p99Seconds: isMeasured ? p99Of(change, TIMED[service]) : null,
    timed: TIMED[service].of,
    lag: isTold ? status.lag : lag,
    waiting: status.waiting,
    oldestSeconds: isTold ? (status.oldestSeconds ?? null) : oldestSeconds,
    errorsPerSecond: isMeasured ? status.errors : null,
    processes,
    unowned,
    streams,
    replays: parts.replays.flatMap(describeReplay),
    notes: notesOf(status, processes, unowned, streams),
  };
}

/** A process that has just taken a partition over counts it, although it reports no sequence yet. */
function unownedOf(service: HopService, { change, processes }: Parts): number {
  const shown = new Set(processes.flatMap(({ partitions }) => partitions)).size;
  const owned = Math.max(shown, change.sum("stampede_partitions_owned", { service }));
  return Math.max(0, (change.max("stampede_partitions", { service }) ?? 0) - owned);
}

function stateOf(processes: readonly LiveProcess[], unowned: number, isWhole: boolean): LiveHopState {
  if (processes.length === 0) return isWhole ? "down" : "not asked";
  if (processes.every(({ state }) => state === "down")) return "down";
  return unowned === 0 && processes.every(({ state }) => state === "ready") ? "ready" : "not ready";
}

function p99Of(change: Change, { metric, labels }: Timed): number | null {
  return quantileOf(0.99, change.buckets(metric, labels)) ?? null;
}

function sentence(count: number, all: number, ofOne: string, ofSome: string): string {
  if (all === 1) return `its process ${ofOne}`;
  return `${count} of ${all} processes ${count === 1 ? ofOne : ofSome}`;
}

/** Notes about processes and partitions are by `KnownProcesses`, not by the answers of this sample alone. */
function notesOf(
  status: HopStatus,
  processes: readonly LiveProcess[],
  unowned: number,
  streams: LiveHop["streams"],
): string[] {
  const count = (wanted: LiveProcess["state"]) => processes.filter(({ state }) => state === wanted).length;
  const own = status.notes.filter((note) => !/processes not ready$|without an owner/.test(note));
  const [down, notReady] = [count("down"), count("not ready")];
  const missing = streams.filter((stream) => stream.missing).map(({ name }) => name);
  return [
    ...(down > 0 ? [sentence(down, processes.length, "does not answer", "do not answer")] : []),
    ...(notReady > 0 ? [sentence(notReady, processes.length, "is not ready", "are not ready")] : []),
    ...(unowned > 0 ? [`no process reads ${unowned === 1 ? "1 partition" : `${unowned} partitions`}`] : []),
    ...(missing.length > 0 ? [`no stream ${missing.join(", ")}`] : []),
    ...own,
  ];
}
