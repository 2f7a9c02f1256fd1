import type { Arena, RunResult } from "./arena.ts";
import {
  type Ready,
  type ReadyCeiling,
  readyCeiling,
  readyCluster,
  readyPeer,
  readyStampede,
  runAtBest,
  runCeiling,
} from "./contenders.ts";
import { measureLatency } from "./latency.ts";
import { findThroughput, median, type Results, type Throughput } from "./results.ts";
import { settle } from "./settle.ts";
import type { Measured } from "./tally.ts";

/** The ceiling knows no requests; it is measured beside the largest ones. */
export const CEILING_BESIDE = 500;

/**
 * One request size: every contender set up at its best, then repetitions in turn (A B C A B C), so that a slow minute
 * of the machine meets all of them; latency at half load on the same processes; in the end every database is verified.
 */
export async function measureSize(arena: Arena, results: Results, size: number): Promise<void> {
  const { contenders, parts } = arena.options;
  arena.say(`requests of ${size}: finding the best settings`);
  const services: Ready[] = [];
  if (contenders.includes("stampede")) services.push(await readyStampede(arena, size));
  if (contenders.includes("peer")) services.push(await readyPeer(arena, size));
  const besides = size === CEILING_BESIDE || contenders.length === 1;
  const ceiling = contenders.includes("ceiling") && besides ? await readyCeiling(arena) : undefined;

  const runs = services.map((): RunResult[] => []);
  const ceilings: Measured[] = [];
  for (let repetition = 1; repetition <= arena.options.repetitions; repetition++) {
    arena.say(`requests of ${size}: ${repetition} of ${arena.options.repetitions}`);
    for (const [i, ready] of services.entries())
      runs[i]?.push(await runAtBest(arena, ready, size, repetition));
    if (ceiling !== undefined) ceilings.push(await runCeiling(arena, ceiling, repetition));
  }
  const measured = services.map((ready, i) => summarise(ready, size, runs[i] ?? []));
  results.throughput.push(...measured);
  if (ceiling !== undefined) results.throughput.push(summariseCeiling(ceiling, ceilings));
  if (parts.includes("latency")) await measureLatency(arena, results, services, size);
  for (const { subject, database } of services) await settle(arena, results, subject, database);
  if (ceiling !== undefined) await settle(arena, results, undefined, ceiling.database);
  const peer = findThroughput(results, "peer", size);
  if (peer !== undefined && arena.options.mode === "canonical") {
    await measureCluster(arena, results, size, peer.connections);
  }
}

/** For comparison only: the table's peer is one process, as Stampede's edge is. */
async function measureCluster(
  arena: Arena,
  results: Results,
  size: number,
  connections: number,
): Promise<void> {
  arena.say(`requests of ${size}: the peer as a cluster`);
  const ready = await readyCluster(arena, size, connections);
  const { measured } = await runAtBest(arena, ready, size, 1);
  results.peerCluster[size] = measured.eventsPerSecond;
  await settle(arena, results, ready.subject, ready.database);
}

function summarise(ready: Ready, size: number, runs: readonly RunResult[]): Throughput {
  const middle = median(runs, ({ measured }) => measured.eventsPerSecond);
  const { subject, setting, connections } = ready;
  return {
    contender: subject.name,
    size,
    setting,
    connections,
    run: middle,
    ...figures(runs.map((run) => run.measured)),
  };
}

function summariseCeiling(ceiling: ReadyCeiling, measured: readonly Measured[]): Throughput {
  const { rows, connections } = ceiling;
  const setting = `${connections} connections, ${rows} rows a statement`;
  return {
    contender: "ceiling",
    size: CEILING_BESIDE,
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
    p50: median(repetitions, ({ latency }) => latency.p50).latency.p50,
    p99: median(repetitions, ({ latency }) => latency.p99).latency.p99,
  };
}
