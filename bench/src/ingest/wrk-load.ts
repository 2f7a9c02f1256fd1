import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { serveJob } from "../kit/processes.ts";
import { hashBodies, type RequestBytes } from "../kit/requests.ts";
import { runWrk, type WrkResult } from "../kit/wrk.ts";
import { INGEST_PATH, laneRequests, type Target } from "./event-text.ts";
import type { LoadJob, LoadResult } from "./load.ts";
import { ACCEPTED, AnswerTexts, fateOf, type Measured, UNEXPECTED, UNKNOWN } from "./tally.ts";
import type { WorkloadSpec } from "./workload.ts";
import { createWorld } from "./world.ts";

/** The same closed loop as autocannon's, with these lanes. */
export interface WrkJob extends LoadJob {
  readonly mode: "wrk";
  /** wrk itself. */
  readonly binary: string;
  /** Threads of wrk; the lanes are shared evenly. */
  readonly threads: number;
  /** The folder for the requests until they are sent, on a disk. */
  readonly dir: string;
  /** How long to wait for the last answers. */
  readonly graceSeconds: number;
}

/** Digits of the length before each request; see wrk.lua. */
const LENGTH_DIGITS = 6;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Closed loop with wrk, which does not tell its script over which connection a request is sent or an answer
 * comes. So the lanes of a thread take turns: its request k belongs to lane k modulo their number. So an
 * event is sent as many requests after the one it refers to as there are connections, when that one is
 * answered except for a rare straggler.
 */
async function run(job: WrkJob): Promise<LoadResult> {
  const { spec, threads } = job;
  const target = { url: job.url, world: createWorld(spec.seed, job.members), async: job.async };
  const dir = mkdtempSync(join(job.dir, "wrk-"));
  const files = join(dir, "requests-");
  try {
    const firsts: RequestBytes[] = [];
    for (let thread = 0; thread < threads; thread++)
      writeShare(`${files}${thread}`, job, thread, target, firsts);
    const { warmUpSeconds, seconds, graceSeconds, binary } = job;
    const url = `${job.url}${INGEST_PATH}`;
    const times = { warmUpSeconds, seconds, graceSeconds };
    const result = await runWrk({ binary, url, connections: spec.lanes, threads, files, ...times });
    return describe(job, result, hashBodies(firsts));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Lanes of a thread: every n-th. */
function lanesOf({ lanes }: WorkloadSpec, { threads }: WrkJob, thread: number): number[] {
  return Array.from({ length: lanes / threads }, (_, at) => at * threads + thread);
}

/** One request at a time: all of them together would be a gigabyte. */
function writeShare(path: string, job: WrkJob, thread: number, target: Target, firsts: RequestBytes[]): void {
  const lanes = lanesOf(job.spec, job, thread);
  const requests = lanes.map((lane) => laneRequests(job.spec, lane, target));
  const file = openSync(path, "wx");
  let chunk: Buffer[] = [];
  let size = 0;
  const flush = (): void => {
    writeWhole(file, Buffer.concat(chunk));
    chunk = [];
    size = 0;
  };
  for (let at = 0; at < job.spec.requestsPerLane; at++) {
    for (const [i, lane] of lanes.entries()) {
      const request = (requests[i] as Generator<RequestBytes, void>).next().value as RequestBytes;
      if (at === 0) firsts[lane] = request;
      const length = Buffer.from(String(request.bytes.length).padStart(LENGTH_DIGITS, "0"));
      chunk.push(length, request.bytes);
      size += LENGTH_DIGITS + request.bytes.length;
      if (size >= CHUNK_BYTES) flush();
    }
  }
  flush();
  // Synced now, not while the database writes to the same disk and is measured.
  fsyncSync(file);
  closeSync(file);
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function describe(
  job: WrkJob,
  result: WrkResult & { readonly cpuSeconds: number },
  workloadHash: string,
): LoadResult {
  const measured = measure(job, result);
  const began = result.threads.filter(({ sent }) => sent > 0).map(({ began_ms }) => began_ms);
  const { connect, read, write, timeout } = result.errors;
  return {
    measured,
    ...judge(job, result, measured.statuses),
    startedAtMs: Math.min(...began) + job.warmUpSeconds * 1000,
    // In a closed loop the rate of sending equals that of answers.
    offeredPerSecond: measured.requestsPerSecond,
    workloadHash,
    generatorCpuSeconds: result.cpuSeconds,
    socketErrors: connect + read + write + timeout,
  };
}

const PIECE_MS = 250;

/**
 * In the form of `Timeline`: whole pieces of the measured time, up to the moment when the first thread had no
 * more to send.
 */
function measure(job: WrkJob, { threads, latency_ms }: WrkResult): Measured {
  const ends = threads.map(({ dry_ms, began_ms }) =>
    dry_ms === 0 ? job.seconds * 1000 : dry_ms - began_ms - job.warmUpSeconds * 1000,
  );
  const count = Math.max(1, Math.floor(Math.min(job.seconds * 1000, ...ends) / PIECE_MS));
  const pieces = Array.from({ length: count }, () => 0);
  for (const [at, answers] of threads.flatMap((thread) => thread.pieces)) {
    if (Number(at) < count) pieces[Number(at)] = (pieces[Number(at)] as number) + answers;
  }
  const seconds = (count * PIECE_MS) / 1000;
  const requestsPerSecond = pieces.reduce((sum, answers) => sum + answers, 0) / seconds;
  const texts = new AnswerTexts();
  const statuses: Record<string, number> = {};
  let unread = 0;
  for (const thread of threads) {
    for (const [status, times] of thread.statuses) statuses[status] = (statuses[status] ?? 0) + times;
    for (const [text, times] of thread.texts) texts.add(text, times);
    unread += thread.other_texts;
  }
  const more = unread === 0 ? [] : [`${unread} answers with bodies of their own`];
  const unanswered = threads.reduce((sum, { sent, answered }) => sum + sent - answered, 0);
  return {
    ...{ seconds, requestsPerSecond, size: job.spec.size, latency: latency_ms },
    eventsPerSecond: requestsPerSecond * job.spec.size,
    pieces: pieces.map((answers, at) => ({
      second: ((at + 1) * PIECE_MS) / 1000,
      perSecond: (answers * 1000) / PIECE_MS,
    })),
    statuses: unanswered === 0 ? statuses : { ...statuses, none: unanswered },
    processed: texts.addUp(),
    unexpected: [...texts.unexpected, ...more],
  };
}

/**
 * The fate of every request. If all requests of a thread were accepted, that is the fate of each. Otherwise
 * only the number is known: any of them may be the one without an answer.
 */
function judge(job: WrkJob, { threads }: WrkResult, statuses: Measured["statuses"]) {
  const { spec } = job;
  const fates = new Uint8Array(spec.lanes * spec.requestsPerLane);
  for (const [number, { sent, answered, statuses }] of threads.entries()) {
    const lanes = lanesOf(spec, job, number);
    const isClear = sent === answered && statuses.every(([status]) => fateOf(Number(status)) === ACCEPTED);
    for (let request = 0; request < sent; request++) {
      const lane = lanes[request % lanes.length] as number;
      const at = lane * spec.requestsPerLane + Math.floor(request / lanes.length);
      fates[at] = isClear ? ACCEPTED : UNKNOWN;
    }
  }
  const count = (fate: number) =>
    Object.entries(statuses).reduce(
      (sum, [status, times]) => sum + (fateOfKey(status) === fate ? times : 0),
      0,
    );
  return {
    fates,
    counted: { accepted: count(ACCEPTED), unknown: count(UNKNOWN), unexpected: count(UNEXPECTED) },
  };
}

/** `none` means no answer. */
function fateOfKey(status: string): number {
  return status === "none" ? UNKNOWN : fateOf(Number(status));
}

serveJob<WrkJob>(run);
