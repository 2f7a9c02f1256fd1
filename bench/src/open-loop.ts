import { Pool } from "undici";
import { hashOf } from "./load.ts";
import type { LoadResult, OpenLoopJob } from "./load-job.ts";
import { INGEST_PATH, type RequestBytes, renderLane } from "./request-bytes.ts";
import { Tally, UNKNOWN } from "./tally.ts";
import { createWorld } from "./world.ts";

/** Answers that come later than this after the end are not waited for. */
const DRAIN_MS = 8_000;
const TICK_MS = 1;

/**
 * Open loop: request i leaves at i / rate, whether or not earlier ones are answered, and its latency counts from that
 * moment. A closed loop stops asking while the subject stalls, and so hides the stall from its own percentiles
 * (coordinated omission). Requests go round when they are used up: then they are resends.
 */
export async function runOpenLoop(job: OpenLoopJob): Promise<LoadResult> {
  const { spec } = job;
  const target = { url: job.url, world: createWorld(spec.seed, job.members), async: job.async };
  const lanes = Array.from({ length: spec.lanes }, (_, lane) => renderLane(spec, lane, target));
  const fates = new Uint8Array(spec.lanes * spec.requestsPerLane);
  const pool = new Pool(job.url, { connections: job.connections, pipelining: 1 });
  const headers = {
    authorization: `Bearer ${target.world.token}`,
    "content-type": "application/json",
    ...(job.async && { prefer: "respond-async" }),
  };
  const beganMs = performance.now();
  const startMs = beganMs + job.warmUpSeconds * 1000;
  const endMs = startMs + job.seconds * 1000;
  const tally = new Tally(spec.size, startMs, endMs);
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
    if (scheduledMs >= startMs) sent++;
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
      // It counts in the second in which it was due: a stall shows where it was.
      settle(tally.answer(scheduledMs, now - scheduledMs, answer.statusCode));
      tally.body(text);
    } catch {
      settle(UNKNOWN);
    }
    open--;
  };

  const intervalMs = 1000 / job.requestsPerSecond;
  for (let number = 0; ; ) {
    const now = performance.now();
    if (now >= endMs) break;
    for (; beganMs + number * intervalMs <= now; number++) void send(number, beganMs + number * intervalMs);
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const waitedMs = performance.now() + DRAIN_MS;
  while (open > 0 && performance.now() < waitedMs) await new Promise((resolve) => setTimeout(resolve, 10));
  const unanswered = open;
  cut.abort();
  await pool.destroy();
  while (open > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const measured = tally.measure();
  return {
    measured: {
      ...measured,
      statuses: { ...measured.statuses, ...(unanswered > 0 && { none: unanswered }) },
    },
    fates,
    startedAtMs: performance.timeOrigin + startMs,
    offeredPerSecond: sent / job.seconds,
    workloadHash: hashOf(lanes),
  };
}
