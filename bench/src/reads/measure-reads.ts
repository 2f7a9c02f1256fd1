import { createWorld } from "../ingest/world.ts";
import type { Setting } from "../kit/benchmark.ts";
import { inTurn, type Tuned, tune } from "../kit/contenders.ts";
import { runJob } from "../kit/processes.ts";
import { type Subject, startPeer, startStampede } from "../kit/subjects.ts";
import { median, middle } from "../kit/timeline.ts";
import { type Usage, watchUsage } from "../kit/usage.ts";
import type { ReadJob, ReadResult } from "./load.ts";
import type { ReadContender, ReadsOptions } from "./options.ts";
import type { ReadRoute } from "./read-plan.ts";
import { fillStored, type StoredSpec } from "./stored.ts";

/** One run of load. */
type ReadRun = ReadResult & { readonly usage: Usage };

/** One contender on one route. */
interface ReadsMeasured {
  readonly route: ReadRoute;
  readonly contender: ReadContender;
  /** The best setting, such as "64 connections". */
  readonly setting: string;
  /** Medians over the repetitions. */
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly repetitions: readonly number[];
  /** The median repetition, whole. */
  readonly run: ReadRun;
}

export interface ReadsResults {
  readonly measured: ReadsMeasured[];
  readonly verified: { answers: number; compared: number; faults: string[] };
}

/** Only reads happen in it, so both contenders share it. */
const DATABASE = "bench_reads";
/** `--quick` takes the first. */
const CONNECTIONS = [64, 32, 128, 256];
const PROBE_WARM_UP_SECONDS = 1;

interface Ready extends Tuned {
  readonly contender: ReadContender;
}

interface ReadsSetting extends Setting<ReadsOptions> {
  readonly spec: StoredSpec;
}

export async function measureReads(setting: Setting<ReadsOptions>): Promise<ReadsResults> {
  const { servers, options, say } = setting;
  const { seed, members, transactions } = options;
  const spec = { seed, members, transactions };
  say(`storing ${members} members and ${transactions} transactions`);
  await servers.execute("stampede", `create database ${DATABASE}`);
  await fillStored(servers.databaseUrl(DATABASE), spec, createWorld(seed, members));
  await servers.execute(DATABASE, "checkpoint");
  const results: ReadsResults = { measured: [], verified: { answers: 0, compared: 0, faults: [] } };
  for (const route of options.routes) await measureRoute({ ...setting, spec }, results, route);
  return results;
}

/** Every contender with its best setting, then repetitions in turn. */
async function measureRoute(setting: ReadsSetting, results: ReadsResults, route: ReadRoute): Promise<void> {
  const { contenders, repetitions, seconds, warmUpSeconds } = setting.options;
  setting.say(`${route}: finding the best settings`);
  const ready: Ready[] = [];
  for (const contender of contenders) ready.push(await makeReady(setting, results, route, contender));
  const runs = await inTurn(
    ready,
    repetitions,
    (progress) => setting.say(`${route}: ${progress}`),
    ({ subject, connections }) =>
      load(setting, results, subject, { route, connections, seconds, warmUpSeconds }),
  );
  for (const { subject } of ready) await subject.stop();
  results.measured.push(...ready.map((one, i) => summarise(one, route, runs[i] ?? [])));
}

async function makeReady(
  setting: ReadsSetting,
  results: ReadsResults,
  route: ReadRoute,
  contender: ReadContender,
): Promise<Ready> {
  const { servers, options } = setting;
  const where = { servers, database: DATABASE };
  const times = { seconds: options.probeSeconds, warmUpSeconds: PROBE_WARM_UP_SECONDS };
  const tuned = await tune({
    contender,
    start: (pool) =>
      contender === "stampede"
        ? startStampede({ ...where, behind: [] })
        : startPeer({ ...where, peer: "fastify-reads", connections: pool }),
    connections: CONNECTIONS,
    tries: options.probeSeconds > 0,
    async probe(subject, connections) {
      return (await load(setting, results, subject, { route, connections, ...times })).figures.perSecond;
    },
  });
  return { contender, ...tuned };
}

function summarise({ contender, setting }: Ready, route: ReadRoute, runs: readonly ReadRun[]): ReadsMeasured {
  const run = median(runs, ({ figures }) => figures.perSecond);
  return {
    route,
    contender,
    setting,
    requestsPerSecond: run.figures.perSecond,
    p50: middle(runs.map(({ figures }) => figures.latency.p50)),
    p99: middle(runs.map(({ figures }) => figures.latency.p99)),
    repetitions: runs.map(({ figures }) => figures.perSecond),
    run,
  };
}

/** One run. Every answer, including the warm-up, is compared with the stored record. */
async function load(
  { spec }: ReadsSetting,
  { verified }: ReadsResults,
  subject: Subject,
  shape: Pick<ReadJob, "route" | "connections" | "seconds" | "warmUpSeconds">,
): Promise<ReadRun> {
  const job: ReadJob = { spec, url: subject.url, ...shape };
  const main = new URL("./load.js", import.meta.url);
  const run = await watchUsage(subject, () => runJob<ReadResult>(main, job));
  for (const count of Object.values(run.statuses)) verified.answers += count;
  verified.compared += run.compared;
  const add = (count: number, what: string): void => {
    if (count > 0) verified.faults.push(`${subject.name}: ${count} ${what}`);
  };
  add(run.unanswered, "requests without an answer");
  add(run.wrongStatuses, "answers with a wrong status");
  add(run.wrongBodyCount, `answers that differ from what is stored: ${run.wrongBodies.join(" | ")}`);
  return run;
}
