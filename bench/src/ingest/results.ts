import { median, middle } from "../kit/timeline.ts";
import type { RunResult } from "./arena.ts";
import type { Ready, ReadyCeiling } from "./contenders.ts";
import type { Contender, LoadGenerator } from "./options.ts";
import type { Measured } from "./tally.ts";

/** One contender at one request size. */
export interface Throughput {
  readonly contender: Contender;
  readonly size: number;
  /** The generator of the requests; the ceiling has none. */
  readonly generator: LoadGenerator | undefined;
  /** The best setting, such as "16 connections". */
  readonly setting: string;
  readonly connections: number;
  /** Medians over the repetitions. */
  readonly eventsPerSecond: number;
  readonly requestsPerSecond: number;
  readonly repetitions: readonly number[];
  readonly p50: number;
  readonly p99: number;
  /** The median repetition, whole; not for the ceiling, which has no requests. */
  readonly run: RunResult | undefined;
  readonly measured: Measured;
}

/** Open loop at a fixed rate. */
export interface Latency {
  readonly contender: Contender;
  readonly size: number;
  readonly load: "half of Stampede's maximum" | "half of its own maximum";
  readonly requestsPerSecond: number;
  readonly run: RunResult;
}

interface AsyncMode {
  /** 202, as long as the streams have room. */
  readonly accepted: RunResult;
  /** How long the backlog took to reach Postgres. */
  readonly drainSeconds: number;
  /** The same with small streams: answers by status until it was over. */
  readonly bounded: Readonly<Record<string, number>>;
}

interface Overload {
  /** In multiples of the maximum. */
  readonly times: number;
  readonly wantedPerSecond: number;
  readonly run: RunResult;
}

interface Growth {
  readonly rows: number;
  /** The median repetitions. */
  readonly empty: RunResult;
  readonly full: RunResult;
}

/** The streaming client and autocannon, in turn: requests of 500 to Stampede. */
interface Client {
  /** Medians over the repetitions. */
  readonly eventsPerSecond: number;
  readonly besideEventsPerSecond: number;
  /** CPU time of the client's process for an event, made and sent, in microseconds. */
  readonly cpuMicrosPerEvent: number;
  /** The largest resident set of that process in any repetition. */
  readonly rssBytes: number;
}

export interface Results {
  readonly throughput: Throughput[];
  client: Client | undefined;
  /** Whether wrk should have measured it, too. */
  isWrkMissing: boolean;
  readonly latency: Latency[];
  async: AsyncMode | undefined;
  overload: Overload | undefined;
  growth: Growth | undefined;
  /** The rate of a cluster of two peers, events a second by request size. */
  readonly peerCluster: Record<number, number>;
  readonly verified: { databases: number; transactions: number; events: number; faults: string[] };
}

export function emptyResults(): Results {
  return {
    throughput: [],
    client: undefined,
    isWrkMissing: false,
    latency: [],
    async: undefined,
    overload: undefined,
    growth: undefined,
    peerCluster: {},
    verified: { databases: 0, transactions: 0, events: 0, faults: [] },
  };
}

/**
 * With autocannon, unless wrk is asked for: targets and the rate of the open loop use it, as they did before
 * wrk came.
 */
export function findThroughput(
  results: Results,
  contender: Contender,
  size: number,
  generator: LoadGenerator = "autocannon",
): Throughput | undefined {
  return results.throughput.find(
    (one) => one.contender === contender && one.size === size && (one.generator ?? generator) === generator,
  );
}

/** The ceiling has no requests; it is measured together with the largest ones. */
export const CEILING_BESIDE = 500;

export function summarise(
  ready: Ready,
  size: number,
  generator: LoadGenerator,
  runs: readonly RunResult[],
): Throughput {
  const middle = median(runs, ({ measured }) => measured.eventsPerSecond);
  const { subject, setting, connections } = ready;
  return {
    contender: subject.name,
    size,
    generator,
    setting,
    connections,
    run: middle,
    ...figures(runs.map((run) => run.measured)),
  };
}

export function summariseCeiling(ceiling: ReadyCeiling, measured: readonly Measured[]): Throughput {
  const { rows, connections } = ceiling;
  const setting = `${connections} connections, ${rows} rows a batch`;
  return {
    contender: "ceiling",
    size: CEILING_BESIDE,
    generator: undefined,
    setting,
    connections,
    run: undefined,
    ...figures(measured),
  };
}

function figures(repetitions: readonly Measured[]) {
  const measured = median(repetitions, ({ eventsPerSecond }) => eventsPerSecond);
  return {
    measured,
    eventsPerSecond: measured.eventsPerSecond,
    requestsPerSecond: measured.requestsPerSecond,
    repetitions: repetitions.map(({ eventsPerSecond }) => eventsPerSecond),
    p50: middle(repetitions.map(({ latency }) => latency.p50)),
    p99: middle(repetitions.map(({ latency }) => latency.p99)),
  };
}
