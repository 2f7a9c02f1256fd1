import { type ContenderName, inTurn } from "../kit/contenders.ts";
import { startStampede } from "../kit/subjects.ts";
import { middle } from "../kit/timeline.ts";
import { findWrk } from "../kit/wrk.ts";
import { FIRST_RUN, type RunResult, waitUntilDrained } from "./arena.ts";
import {
  type IngestArena,
  type Ready,
  type ReadyCeiling,
  readyCeiling,
  readyCluster,
  readyContender,
  runAtBest,
  runBesideClient,
  runCeiling,
  runWithWrk,
} from "./contenders.ts";
import { CLIENT_SIZE, WRK_SIZE } from "./options.ts";
import {
  CEILING_BESIDE,
  findThroughput,
  type Latency,
  type Results,
  summarise,
  summariseCeiling,
} from "./results.ts";
import { settle } from "./settle.ts";
import type { Measured } from "./tally.ts";

/**
 * One request size: every contender at its best setting, then repetitions in turn (A B C A B C), so that a
 * slow minute of the machine affects all of them; latency at half load on the same processes; in the end
 * every database is verified.
 */
export async function measureSize(arena: IngestArena, results: Results, size: number): Promise<void> {
  const { contenders, parts, generators } = arena.options;
  arena.say(`requests of ${size}: finding the best settings`);
  const services: Ready[] = [];
  for (const contender of ["stampede", "peer", "outbox"] as const) {
    if (contenders.includes(contender)) services.push(await readyContender(arena, contender, size));
  }
  const besides = size === CEILING_BESIDE || contenders.length === 1;
  const ceiling = contenders.includes("ceiling") && besides ? await readyCeiling(arena) : undefined;

  const loaded = generators.includes("autocannon") ? services : [];
  const { runs, ceilings } = await measureInTurn(arena, size, loaded, ceiling);
  const measured = loaded.map((ready, i) => summarise(ready, size, "autocannon", runs[i] ?? []));
  results.throughput.push(...measured);
  if (ceiling !== undefined) results.throughput.push(summariseCeiling(ceiling, ceilings));
  if (parts.includes("latency")) await measureLatency(arena, results, services, size);
  if (isForWrk(arena, size) && services.length > 0) await measureWithWrk(arena, results, services);
  const stampede = services.find(({ subject }) => subject.name === "stampede");
  if (isForClient(arena, size) && stampede !== undefined) await measureWithClient(arena, results, stampede);
  for (const { subject, database } of services) await settle(arena, results, subject, database);
  if (ceiling !== undefined) await settle(arena, results, undefined, ceiling.database);
  const peer = findThroughput(results, "peer", size);
  if (peer !== undefined && arena.options.mode === "canonical") {
    await measureCluster(arena, results, size, peer.connections);
  }
}

async function measureInTurn(
  arena: IngestArena,
  size: number,
  services: readonly Ready[],
  ceiling: ReadyCeiling | undefined,
) {
  const runs = services.map((): RunResult[] => []);
  const ceilings: Measured[] = [];
  const isNothing = services.length === 0 && ceiling === undefined;
  const repetitions = isNothing ? 0 : arena.options.repetitions;
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    arena.say(`requests of ${size}: ${repetition} of ${repetitions}`);
    for (const [i, ready] of services.entries())
      runs[i]?.push(await runAtBest(arena, ready, size, repetition));
    if (ceiling !== undefined) ceilings.push(await runCeiling(arena, ceiling, repetition));
  }
  return { runs, ceilings };
}

function isForWrk({ options: { generators, parts } }: IngestArena, size: number): boolean {
  return size === WRK_SIZE && generators.includes("wrk") && parts.includes("throughput");
}

function isForClient({ options: { generators, parts } }: IngestArena, size: number): boolean {
  return size === CLIENT_SIZE && generators.includes("client") && parts.includes("throughput");
}

/** For comparison only: the table's peer is one process, like Stampede's edge. */
async function measureCluster(
  arena: IngestArena,
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

/** Far more than half a load needs: if requests wait for a connection, the subject is the cause. */
const OPEN_LOOP_CONNECTIONS = 512;

/**
 * Open loop at half of Stampede's maximum, the same rate for the peer, and the peer also at half of its own.
 * Requests that a subject cannot serve in time show as latency from the scheduled moment.
 */
async function measureLatency(
  arena: IngestArena,
  results: Results,
  services: readonly Ready[],
  size: number,
): Promise<void> {
  const half = (contender: ContenderName) =>
    (findThroughput(results, contender, size)?.requestsPerSecond ?? 0) / 2;
  for (const ready of services) {
    const contender = ready.subject.name;
    const loads: [Latency["load"], number][] = [["half of Stampede's maximum", half("stampede")]];
    if (contender !== "stampede") loads.push(["half of its own maximum", half(contender)]);
    for (const [i, [load, requestsPerSecond]] of loads.entries()) {
      if (requestsPerSecond === 0) continue;
      arena.say(`requests of ${size}: latency of ${contender} at ${load}`);
      const run = await arena.openLoop(ready.subject, ready.database, {
        size,
        requestsPerSecond,
        connections: OPEN_LOOP_CONNECTIONS,
        seconds: arena.options.seconds,
        warmUpSeconds: arena.options.warmUpSeconds,
        run: FIRST_RUN.latency + i,
      });
      results.latency.push({ contender, size, load, requestsPerSecond, run });
    }
  }
}

const ASYNC_SIZE = 500;
const CONNECTIONS = 16;
/** Accepted at about this rate: decides the number of requests to prepare. */
const EXPECTED_EVENTS_PER_SECOND = 250_000;
/** The least size that may be configured: full immediately, on any machine. */
const SMALL_STREAM_BYTES = 1024 * 1024;

/**
 * `prefer: respond-async`: how fast events are accepted while the streams have room, and that a full stream
 * refuses with 503 and loses no accepted event.
 */
export async function measureAsync(arena: IngestArena, results: Results): Promise<void> {
  arena.say("202 mode");
  const { seconds, warmUpSeconds } = arena.options;
  const connections = findThroughput(results, "stampede", ASYNC_SIZE)?.connections ?? CONNECTIONS;
  const shape = {
    size: ASYNC_SIZE,
    connections,
    expectedPerSecond: (EXPECTED_EVENTS_PER_SECOND * arena.options.abundance) / ASYNC_SIZE,
    seconds,
    warmUpSeconds,
    async: true,
  };
  const database = await arena.newDatabase("async");
  const { servers } = arena;
  const subject = await startStampede({ servers, database: database.name });
  const accepted = await arena.closedLoop(subject, database, shape);
  const drainSeconds = await waitUntilDrained(subject);
  await settle(arena, results, subject, database);

  const small = await arena.newDatabase("bounded");
  const env = { STAMPEDE_STREAM_MAX_BYTES: String(SMALL_STREAM_BYTES) };
  const bounded = await startStampede({ servers, database: small.name, env });
  const { measured } = await arena.closedLoop(bounded, small, shape);
  await settle(arena, results, bounded, small);
  results.async = { accepted, drainSeconds, bounded: measured.statuses };
}

const OVERLOAD_SIZE = 500;
/** If this run did not measure it. */
const ASSUMED_REQUESTS_PER_SECOND = 100;

/**
 * Several times as much as Stampede can accept, in open loop: memory stays bounded, and accepted events are
 * stored.
 */
export async function measureOverload(arena: IngestArena, results: Results): Promise<void> {
  const { seconds, overload: times } = arena.options;
  arena.say(`overload, ${times} times the maximum`);
  const maximum =
    findThroughput(results, "stampede", OVERLOAD_SIZE)?.requestsPerSecond ?? ASSUMED_REQUESTS_PER_SECOND;
  const database = await arena.newDatabase("overload");
  const subject = await startStampede({ servers: arena.servers, database: database.name });
  const run = await arena.openLoop(subject, database, {
    size: OVERLOAD_SIZE,
    requestsPerSecond: times * maximum,
    connections: OPEN_LOOP_CONNECTIONS,
    seconds,
    warmUpSeconds: 0,
  });
  results.overload = { times, wantedPerSecond: times * maximum, run };
  await settle(arena, results, subject, database);
}

/**
 * The rate of an integrator with the streaming client: in turn with autocannon, which sends prepared bytes,
 * to the same processes and database. The client's process makes each event, checks, writes and reads it.
 */
async function measureWithClient(arena: IngestArena, results: Results, stampede: Ready): Promise<void> {
  const [beside = [], runs = []] = await inTurn(
    ["autocannon", "client"] as const,
    arena.options.repetitions,
    (progress) => arena.say(`requests of ${CLIENT_SIZE} by the streaming client: ${progress}`),
    (generator, repetition) => runBesideClient(arena, stampede, generator, repetition),
  );
  results.throughput.push(summarise(stampede, CLIENT_SIZE, "client", runs));
  const rate = (all: readonly RunResult[]) => middle(all.map(({ measured }) => measured.eventsPerSecond));
  results.client = {
    eventsPerSecond: rate(runs),
    besideEventsPerSecond: rate(beside),
    cpuMicrosPerEvent: middle(runs.map(cpuMicrosPerEvent)),
    rssBytes: Math.max(...runs.map(({ generatorRssBytes = 0 }) => generatorRssBytes)),
  };
}

/** Over everything that it sent, including the warm-up. */
function cpuMicrosPerEvent({ generatorCpuSeconds = 0, measured }: RunResult): number {
  return (generatorCpuSeconds * 1e6) / Math.max(1, measured.processed.accepted);
}

/**
 * Single requests once more, in turn as before, with a load generator that leaves more of the machine to the
 * contenders. It comes last, on the same processes: its ids are higher than all earlier ones.
 */
async function measureWithWrk(
  arena: IngestArena,
  results: Results,
  services: readonly Ready[],
): Promise<void> {
  if (findWrk() === undefined) {
    results.isWrkMissing = true;
    return;
  }
  const runs = await inTurn(
    services,
    arena.options.repetitions,
    (progress) => arena.say(`requests of ${WRK_SIZE} with wrk: ${progress}`),
    (ready, repetition) => runWithWrk(arena, ready, WRK_SIZE, repetition),
  );
  results.throughput.push(...services.map((ready, i) => summarise(ready, WRK_SIZE, "wrk", runs[i] ?? [])));
}
