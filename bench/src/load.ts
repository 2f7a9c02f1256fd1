import { createHash } from "node:crypto";
import autocannon, { type Client } from "autocannon";
import type { ClosedLoopJob, LoadResult } from "./load-job.ts";
import { INGEST_PATH, type RequestBytes, renderLane } from "./request-bytes.ts";
import { Tally, UNKNOWN } from "./tally.ts";
import { createWorld } from "./world.ts";

const ANSWER_TIMEOUT_SECONDS = 30;

/** One connection's requests and how far it is. */
interface Lane {
  readonly requests: readonly RequestBytes[];
  readonly fates: Uint8Array;
  /** Of the request that waits for its answer; -1 before the first. */
  at: number;
}

/**
 * Closed loop with autocannon: keep-alive, no pipelining, one lane a connection. At the end of its time every
 * connection waits for its last answer, so that no fate stays unknown.
 */
export async function runClosedLoop(job: ClosedLoopJob): Promise<LoadResult> {
  const { spec } = job;
  const target = { url: job.url, world: createWorld(spec.seed, job.members), async: job.async };
  const fates = new Uint8Array(spec.lanes * spec.requestsPerLane);
  const lanes = Array.from({ length: spec.lanes }, (_, lane): Lane => {
    const first = lane * spec.requestsPerLane;
    const own = fates.subarray(first, first + spec.requestsPerLane);
    return { requests: renderLane(spec, lane, target), fates: own, at: -1 };
  });
  const startMs = performance.now() + job.warmUpSeconds * 1000;
  const endMs = startMs + job.seconds * 1000;
  const tally = new Tally(spec.size, startMs, endMs);
  const laneOf = new Map<Client, Lane>();
  let dryMs = endMs;
  let sent = 0;
  await new Promise<void>((resolve, reject) => {
    const run = autocannon(
      {
        url: `${job.url}${INGEST_PATH}`,
        method: "POST",
        connections: spec.lanes,
        pipelining: 1,
        amount: fates.length,
        timeout: ANSWER_TIMEOUT_SECONDS,
        sampleInt: 100,
        setupClient(client) {
          const lane = lanes[laneOf.size] as Lane;
          laneOf.set(client, lane);
          // autocannon would copy the requests and build their bytes itself; these are ready.
          client.getRequestBuffer = () => {
            leaveBehind(lane);
            lane.at++;
            const now = performance.now();
            if (now >= startMs && now < endMs) sent++;
            return (lane.requests[lane.at] as RequestBytes).bytes;
          };
        },
        verifyBody(body) {
          tally.body(body);
          return true;
        },
      },
      (error) => (error ? reject(error) : resolve()),
    );
    run.on("response", (client, status, _bytes, milliseconds) => {
      const now = performance.now();
      const lane = laneOf.get(client) as Lane;
      lane.fates[lane.at] = (lane.fates[lane.at] as number) | tally.answer(now, milliseconds, status);
      const dry = lane.at === spec.requestsPerLane - 1;
      if (dry) dryMs = Math.min(dryMs, now);
      if (dry || now >= endMs) client.responseMax = client.reqsMade;
    });
  });
  for (const lane of lanes) leaveBehind(lane);
  return {
    measured: tally.measure(dryMs),
    fates,
    startedAtMs: performance.timeOrigin + startMs,
    offeredPerSecond: sent / job.seconds,
    workloadHash: hashOf(lanes.map((lane) => lane.requests)),
  };
}

/** The connection was lost before the answer came. */
function leaveBehind(lane: Lane): void {
  if (lane.at >= 0 && lane.fates[lane.at] === 0) lane.fates[lane.at] = UNKNOWN;
}

/** Bodies only: the port in the head differs. */
export function hashOf(lanes: readonly (readonly RequestBytes[])[]): string {
  const hash = createHash("sha256");
  for (const [first] of lanes) if (first) hash.update(first.bytes.subarray(first.bodyAt));
  return hash.digest("hex");
}
