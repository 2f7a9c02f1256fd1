import type { Attempt } from "#test-world";

/** How long a fault was felt, in milliseconds from the moment it began. */
export interface Recovery {
  readonly fault: string;
  /** Until the first request that began after the fault was accepted. */
  readonly first: number;
  /** Until the first of `IN_A_ROW` such answers, with nothing else in between or since. */
  readonly steady: number;
  /** Until as much was answered in two seconds as usually in one: after the longest silence of a second or more. */
  readonly throughput: number;
}

const IN_A_ROW = 20;
const BEFORE_MS = 3_000;
const WINDOW_MS = 2_000;

/** The effect on requests of a fault that began at `at` (`Date.now`), once it is over. */
export function measureRecovery(
  fault: string,
  attempts: readonly Attempt[],
  at: number,
  now: number,
): Recovery | undefined {
  // A malformed request, which the load sends on purpose, says nothing about the pipeline.
  const asked = attempts.filter(({ status }) => status !== 400);
  const after = asked.filter(({ from }) => from >= at);
  const accepted = asked.filter(isAccepted).map(({ until }) => until);
  const first = after.find(isAccepted)?.until;
  const steady = steadyFrom(after);
  const throughput = throughputFrom(accepted, at, now);
  if (first === undefined || steady === undefined || throughput === undefined) return undefined;
  return { fault, first: first - at, steady: steady - at, throughput: throughput - at };
}

/**
 * The begin of the first good window after the longest silence, or `at` if no silence was as long as a
 * window.
 */
function throughputFrom(accepted: readonly number[], at: number, now: number): number | undefined {
  const within = (from: number, to: number) => accepted.filter((end) => end >= from && end < to).length;
  const usual = (within(at - BEFORE_MS, at) / BEFORE_MS) * WINDOW_MS;
  const ends = accepted.filter((end) => end >= at);
  let silence = { ms: WINDOW_MS / 2, until: at };
  for (const [i, end] of ends.entries()) {
    const ms = end - (ends[i - 1] ?? at);
    if (ms > silence.ms) silence = { ms, until: end };
  }
  const starts = [silence.until, ...ends.filter((end) => end > silence.until)];
  return starts.find((from) => from + WINDOW_MS <= now && within(from, from + WINDOW_MS) >= usual / 2);
}

/** The end of the first accepted attempt after the last other one, if at least `IN_A_ROW` follow it. */
function steadyFrom(attempts: readonly Attempt[]): number | undefined {
  const last = attempts.findLastIndex((attempt) => !isAccepted(attempt));
  return attempts.length - 1 - last >= IN_A_ROW ? attempts[last + 1]?.until : undefined;
}

/** 404 and 409: all other events of it were accepted (the load sends forbidden ones now and then). */
function isAccepted({ status }: Attempt): boolean {
  return status !== undefined && [200, 202, 404, 409].includes(status);
}

/** The median and the largest of each number, by the kind of fault. */
export function summarise(recoveries: readonly Recovery[]): Record<string, string> {
  const kinds = [...new Set(recoveries.map(({ fault }) => fault))].sort();
  return Object.fromEntries(
    kinds.map((kind) => {
      const these = recoveries.filter(({ fault }) => fault === kind);
      const tell = (field: "first" | "steady" | "throughput") => {
        const sorted = these.map((one) => one[field]).sort((a, b) => a - b);
        return `${field} ${sorted[Math.floor(sorted.length / 2)]} (most ${sorted.at(-1)}) ms`;
      };
      return [kind, `${these.length}x ${tell("first")}, ${tell("steady")}, ${tell("throughput")}`];
    }),
  );
}
