import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { runConnections } from "../kit/closed-loop.ts";
import { serveJob } from "../kit/processes.ts";
import { hashBodies, type RequestBytes } from "../kit/requests.ts";
import { readCounters } from "../kit/usage.ts";
import { INGEST_PATH, renderLane, type Target } from "./event-text.ts";
import { type Measured, Tally, UNKNOWN } from "./tally.ts";
import type { Counted } from "./verify.ts";
import type { WorkloadSpec } from "./workload.ts";
import { createWorld } from "./world.ts";

/** The job of a load process. It determines everything: the parent knows every byte that was sent. */
export interface LoadJob {
  readonly spec: WorkloadSpec;
  readonly members: number;
  readonly url: string;
  /** `prefer: respond-async`. */
  readonly async: boolean;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Each lane is a connection that sends its next request once the previous one is answered. */
export interface ClosedLoopJob extends LoadJob {
  readonly mode: "closed";
}

/** Requests are sent on schedule and wait for no answer. */
export interface OpenLoopJob extends LoadJob {
  readonly mode: "open";
  readonly requestsPerSecond: number;
  /**
   * The most connections; a request that finds none free waits for one, and its latency runs from the
   * scheduled moment.
   */
  readonly connections: number;
}

export interface LoadResult {
  readonly measured: Measured;
  /** Fate of every request, lane after lane: bits of `tally.ts`, 0 if it was never sent. */
  readonly fates: Uint8Array;
  /** `Date.now()` when the measured time began. */
  readonly startedAtMs: number;
  /** Requests sent in the measured time, each second. */
  readonly offeredPerSecond: number;
  /** SHA-256 of the first body of each lane: runs with the same hash got the same data. */
  readonly workloadHash: string;
  /** User and system time of the generator from the first request to the last answer, if it was measured. */
  readonly generatorCpuSeconds?: number;
  /**
   * The largest resident set of the generator, if it was measured: including everything for making the load.
   */
  readonly generatorRssBytes?: number;
  /** For wrk: connections that failed, were lost, or had no answer in time. */
  readonly socketErrors?: number;
  /** If more fates are unknown than there are requests without an answer. */
  readonly counted?: Counted;
}

/** One connection's requests and its progress. */
interface Lane {
  readonly requests: readonly RequestBytes[];
  readonly fates: Uint8Array;
  /** The time of the request that waits for its answer; -1 before the first. */
  at: number;
}

/**
 * Closed loop, one lane a connection. At the end of its time every
 * connection waits for its last answer, so that no fate stays unknown.
 */
async function runClosedLoop(job: ClosedLoopJob): Promise<LoadResult> {
  const { spec } = job;
  const target = { url: job.url, world: createWorld(spec.seed, job.members), async: job.async };
  const fates = new Uint8Array(spec.lanes * spec.requestsPerLane);
  const lanes = Array.from({ length: spec.lanes }, (_, lane): Lane => {
    const first = lane * spec.requestsPerLane;
    const own = fates.subarray(first, first + spec.requestsPerLane);
    return { requests: renderLane(spec, lane, target), fates: own, at: -1 };
  });
  const startMs = performance.now() + job.warmUpSeconds * 1000;
  const tally = new Tally(spec.size, startMs, startMs + job.seconds * 1000);
  let dryMs = Number.POSITIVE_INFINITY;
  let sent = 0;
  const connections = lanes.map((lane) => ({
    next() {
      leaveBehind(lane);
      lane.at++;
      const now = performance.now();
      if (now >= startMs && now < tally.endMs) sent++;
      return (lane.requests[lane.at] as RequestBytes).bytes;
    },
    answered(nowMs: number, latencyMs: number, status: number) {
      tally.answered(nowMs);
      lane.fates[lane.at] = (lane.fates[lane.at] as number) | tally.answer(nowMs, latencyMs, status);
      const dry = lane.at === spec.requestsPerLane - 1;
      if (dry) dryMs = Math.min(dryMs, nowMs);
      return dry || nowMs >= tally.endMs;
    },
    body: (text: string) => tally.body(text),
  }));
  const cpuBefore = readCounters(process.pid).cpuSeconds;
  await runConnections(`${job.url}${INGEST_PATH}`, connections, fates.length);
  const generatorCpuSeconds = readCounters(process.pid).cpuSeconds - cpuBefore;
  for (const lane of lanes) leaveBehind(lane);
  return {
    measured: tally.measure(dryMs),
    fates,
    startedAtMs: performance.timeOrigin + tally.endMs - job.seconds * 1000,
    offeredPerSecond: sent / job.seconds,
    workloadHash: hashOf(lanes.map((lane) => lane.requests)),
    generatorCpuSeconds,
  };
}

/** The connection was lost before the answer came. */
function leaveBehind(lane: Lane): void {
  if (lane.at >= 0 && lane.fates[lane.at] === 0) lane.fates[lane.at] = UNKNOWN;
}

/** Of the first request of each lane. */
function hashOf(lanes: readonly (readonly RequestBytes[])[]): string {
  return hashBodies(lanes.flatMap((requests) => requests.slice(0, 1)));
}

/** Answers later than this after the end are not waited for. */
const DRAIN_MS = 8_000;
/**
 * How long the rest of the warm-up is waited for. A subject that is not done by then cannot keep up, and is
 * measured with the rest.
 */
const WARM_UP_DRAIN_MS = 2_000;
const TICK_MS = 1;

/**
 * Open loop: request i leaves at i / rate, whether or not earlier ones are answered, and its latency counts
 * from that moment. A closed loop stops asking while the subject stalls, and so hides the stall from its own
 * percentiles (coordinated omission). When all requests are used up, they start over: then they are resends.
 *
 * The measured time begins when the warm-up's requests are answered. This process is new, and compiles what
 * is hot in its first second: it falls behind its own schedule then, and its delay would count as the
 * subject's latency (of the record of 2026-11-27, half of Stampede's maximum of single events, 393 ms at
 * first, and 20 ms from the second second on).
 */
async function runOpenLoop(job: OpenLoopJob): Promise<LoadResult> {
  const { spec } = job;
  const target = { url: job.url, world: createWorld(spec.seed, job.members), async: job.async };
  const lanes = Array.from({ length: spec.lanes }, (_, lane) => renderLane(spec, lane, target));
  const fates = new Uint8Array(spec.lanes * spec.requestsPerLane);
  const pool = new Pool(job.url, { connections: job.connections, pipelining: 1 });
  const headers = headersOf(target);
  const beganMs = performance.now();
  const warmUntilMs = beganMs + job.warmUpSeconds * 1000;
  const tally = new Tally(spec.size, warmUntilMs, warmUntilMs + job.seconds * 1000);
  const cut = new AbortController();
  let open = 0;
  let sent = 0;

  const send = async (number: number, scheduledMs: number): Promise<void> => {
    const lane = number % spec.lanes;
    const at = Math.floor(number / spec.lanes) % spec.requestsPerLane;
    const { bytes, bodyAt } = (lanes[lane] as RequestBytes[])[at] as RequestBytes;
    const index = lane * spec.requestsPerLane + at;
    const settle = (fate: number): void => {
      fates[index] = (fates[index] as number) | fate;
    };
    open++;
    sent++;
    try {
      const answer = await pool.request({
        path: INGEST_PATH,
        method: "POST",
        headers,
        body: bytes.subarray(bodyAt),
        signal: cut.signal,
      });
      const text = await answer.body.text();
      const now = performance.now();
      // It counts in the second in which it was due: so a stall shows at its time.
      settle(tally.answer(scheduledMs, now - scheduledMs, answer.statusCode));
      tally.body(text);
    } catch {
      settle(UNKNOWN);
    }
    open--;
  };

  const intervalMs = 1000 / job.requestsPerSecond;
  await onSchedule(beganMs, warmUntilMs, intervalMs, send);
  await until(() => open === 0, WARM_UP_DRAIN_MS);
  const startMs = performance.now();
  tally.answered(startMs);
  const warmUpRequests = sent;
  sent = 0;
  await onSchedule(startMs, startMs + job.seconds * 1000, intervalMs, (number, scheduledMs) =>
    send(warmUpRequests + number, scheduledMs),
  );
  await until(() => open === 0, DRAIN_MS);
  const unanswered = open;
  cut.abort();
  await pool.destroy();
  await until(() => open === 0);
  const { statuses, ...measured } = tally.measure();
  return {
    measured: { ...measured, statuses: unanswered === 0 ? statuses : { ...statuses, none: unanswered } },
    fates,
    startedAtMs: performance.timeOrigin + startMs,
    offeredPerSecond: sent / job.seconds,
    workloadHash: hashOf(lanes),
  };
}

function headersOf({ world, async }: Target): Record<string, string> {
  const prefer = async ? { prefer: "respond-async" } : undefined;
  return { authorization: `Bearer ${world.token}`, "content-type": "application/json", ...prefer };
}

async function until(holds: () => boolean, limitMs = Number.POSITIVE_INFINITY): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!holds() && performance.now() < endMs) await delay(TICK_MS);
}

/** Calls `send` with each number at its moment, even while earlier ones are not answered. */
async function onSchedule(
  beganMs: number,
  endMs: number,
  intervalMs: number,
  send: (number: number, scheduledMs: number) => Promise<void>,
): Promise<void> {
  for (let number = 0; performance.now() < endMs; ) {
    const now = performance.now();
    for (; beganMs + number * intervalMs <= now; number++) void send(number, beganMs + number * intervalMs);
    await delay(TICK_MS);
  }
}

/** Runs in a separate process, so that no subject shares its event loop. */
serveJob<ClosedLoopJob | OpenLoopJob>((job) =>
  job.mode === "closed" ? runClosedLoop(job) : runOpenLoop(job),
);
