import { type EventOutcome, StampedeClient, type TransactionEvent } from "#client";
import { serveJob } from "../kit/processes.ts";
import { hashBodies } from "../kit/requests.ts";
import { readCounters } from "../kit/usage.ts";
import { eventOf, laneRequests } from "./event-text.ts";
import type { LoadJob, LoadResult } from "./load.ts";
import { type Measured, Tally } from "./tally.ts";
import { type LanePlan, planLane } from "./workload.ts";
import { createWorld, type World } from "./world.ts";

/**
 * The same closed loop as autocannon's, with these lanes, sent by the streaming client: as many open requests
 * as lanes.
 */
export interface ClientJob extends LoadJob {
  readonly mode: "client";
}

/** The planned request of an event. The client and its JSON ignore it. */
const REQUEST = Symbol("request");

/**
 * The events of a planned request. The client cuts requests itself; this one counts once all of its events
 * have an outcome.
 */
interface Planned {
  readonly number: number;
  readonly startedMs: number;
  left: number;
}

const STATUS_OK = 200;
const UNEXPECTED_SHOWN = 3;

/**
 * The events of all lanes, one request's worth of each in turn, so that an event comes after those that it
 * refers to. Events are made as they are written, as if read from a file: none is prepared, and none is kept.
 */
async function run(job: ClientJob): Promise<LoadResult> {
  const { spec } = job;
  const world = createWorld(spec.seed, job.members);
  const plans = Array.from({ length: spec.lanes }, (_, lane) => planLane(spec, lane));
  const fates = new Uint8Array(spec.lanes * spec.requestsPerLane);
  const startMs = performance.now() + job.warmUpSeconds * 1000;
  const endMs = startMs + job.seconds * 1000;
  const tally = new Tally(spec.size, startMs, endMs);
  const unexpected: string[] = [];
  let isDry = false;
  let dryMs = endMs;
  const onOutcome = (event: TransactionEvent, outcome: EventOutcome): void => {
    const request = (event as { [REQUEST]?: Planned })[REQUEST] as Planned;
    if (outcome.outcome === "rejected" && unexpected.length < UNEXPECTED_SHOWN) {
      unexpected.push(JSON.stringify(outcome));
    }
    if (--request.left > 0) return;
    const now = performance.now();
    // From here on it has less than it could send: the measured time ends, as if a lane of autocannon were
    // used up.
    if (isDry && stream.buffered < spec.lanes * spec.size) dryMs = Math.min(dryMs, now);
    fates[request.number] = tally.answer(now, now - request.startedMs, STATUS_OK);
  };
  const client = new StampedeClient({ baseUrl: job.url, token: world.token, connections: spec.lanes });
  const stream = client.stream({ maxEvents: spec.size, maxInFlight: spec.lanes, onOutcome });
  const cpuBefore = readCounters(process.pid).cpuSeconds;
  let sent = 0;
  for (const event of events(job, plans, world, endMs)) {
    await stream.write(event);
    sent++;
  }
  isDry = performance.now() < endMs;
  // A failure throws and ends the run: no fate is unknown.
  await client.close();
  const { created, updated, unchanged, accepted } = stream.counts;
  const processed = { accepted: created + updated + unchanged, created, updated, unchanged };
  const told = tally.measure(dryMs);
  // Events that were only accepted are in no count; if there are any, the counts are not compared with the
  // database.
  const statuses = accepted === 0 ? told.statuses : { ...told.statuses, 202: accepted };
  const measured: Measured = { ...told, statuses, processed, unexpected };
  return {
    measured,
    fates,
    startedAtMs: performance.timeOrigin + startMs,
    offeredPerSecond: sent / spec.size / (job.warmUpSeconds + job.seconds),
    workloadHash: workloadHash(job, world),
    generatorCpuSeconds: readCounters(process.pid).cpuSeconds - cpuBefore,
    generatorRssBytes: process.resourceUsage().maxRSS * 1024,
  };
}

/** In whole requests, until the time is over or there are no more. */
function* events(
  { spec }: ClientJob,
  plans: readonly LanePlan[],
  world: World,
  endMs: number,
): Generator<TransactionEvent> {
  for (let at = 0; at < spec.requestsPerLane; at++) {
    for (const [lane, plan] of plans.entries()) {
      const startedMs = performance.now();
      if (startedMs >= endMs) return;
      const planned: Planned = { number: lane * spec.requestsPerLane + at, startedMs, left: spec.size };
      for (let i = at * spec.size; i < (at + 1) * spec.size; i++) {
        const event = eventOf(spec, plan, i, world);
        (event as { [REQUEST]?: Planned })[REQUEST] = planned;
        yield event;
      }
    }
  }
}

/** Equal if autocannon would send the same. */
function workloadHash({ spec, url, async }: ClientJob, world: World): string {
  const target = { url, world, async };
  const firsts = Array.from(
    { length: spec.lanes },
    (_, lane) => laneRequests(spec, lane, target).next().value,
  );
  return hashBodies(firsts.filter((request) => request !== undefined));
}

serveJob<ClientJob>(run);
