import { createWorld } from "../ingest/world.ts";
import { runConnections } from "../kit/closed-loop.ts";
import { serveJob } from "../kit/processes.ts";
import { hashBodies, type RequestBytes } from "../kit/requests.ts";
import { Timeline, type TimelineFigures } from "../kit/timeline.ts";
import { compareAnswer, planReads, type ReadRoute, recordsOf, renderReads } from "./read-plan.ts";
import type { StoredSpec } from "./stored.ts";

/** The job of a load process: closed loop, each connection sends its next request once it has its answer. */
export interface ReadJob {
  readonly spec: StoredSpec;
  readonly route: ReadRoute;
  readonly url: string;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface ReadResult {
  readonly figures: TimelineFigures;
  /** Answers of the whole run, including the warm-up, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests that ended without an answer. */
  readonly unanswered: number;
  /** Answers with an unexpected status: not 200 for an existing record, or not 404 for a missing one. */
  readonly wrongStatuses: number;
  /** Bodies that were compared in full with the stored records. */
  readonly compared: number;
  /** Up to three of those that differ. */
  readonly wrongBodies: readonly string[];
  readonly wrongBodyCount: number;
  /** SHA-256 of all bodies sent: runs with the same hash sent the same requests. */
  readonly workloadHash: string;
}

/** This many distinct requests are made before the clock starts; they are repeated in a circle. */
const REQUESTS = 100_000;
/** One in this many answers is kept, to be compared in full when the clock has stopped. */
const COMPARED_EVERY = 100;

/** Closed loop. At the end of its time every connection waits for its last answer. */
async function runReads(job: ReadJob): Promise<ReadResult> {
  const { spec, route, url } = job;
  const world = createWorld(spec.seed, spec.members);
  const plan = planReads(spec, route, REQUESTS);
  const requests = renderReads({ url, spec, world, route }, plan);
  const stored = recordsOf(spec, route);
  const startMs = performance.now() + job.warmUpSeconds * 1000;
  const timeline = new Timeline(startMs, startMs + job.seconds * 1000);
  const statuses = new Map<number, number>();
  const kept: { readonly record: number; readonly body: string }[] = [];
  let sent = 0;
  let answered = 0;
  let wrongStatuses = 0;

  const connect = () => {
    /** The record that the connection waits for. */
    let asked = 0;
    let keep = -1;
    return {
      next() {
        asked = sent++ % REQUESTS;
        return (requests[asked] as RequestBytes).bytes;
      },
      answered(nowMs: number, latencyMs: number, status: number) {
        const record = plan[asked] as number;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== (record < stored ? 200 : 404)) wrongStatuses++;
        timeline.answered(nowMs);
        timeline.add(nowMs, latencyMs);
        keep = answered++ % COMPARED_EVERY === 0 ? record : -1;
        return nowMs >= timeline.endMs;
      },
      body(text: string) {
        if (keep >= 0) kept.push({ record: keep, body: text });
      },
    };
  };
  await runConnections(url, Array.from({ length: job.connections }, connect));
  const wrong = kept
    .map(({ record, body }) => compareAnswer(spec, world, route, record, body))
    .filter((fault) => fault !== undefined);
  return {
    figures: timeline.figures(),
    statuses: Object.fromEntries(statuses),
    unanswered: sent - answered,
    wrongStatuses,
    compared: kept.length,
    wrongBodies: wrong.slice(0, 3),
    wrongBodyCount: wrong.length,
    workloadHash: hashBodies(requests),
  };
}

serveJob(runReads);
