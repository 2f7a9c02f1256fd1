import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "./log.ts";

export interface RepeatOptions {
  readonly name: string;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** Two runs start at least so far apart, however often it is kicked. Left out: 0. */
  readonly spacingMs?: number;
  /** How long to wait after so many failures in a row. Left out: `everyMs`. */
  readonly againMs?: (failures: number) => number;
  /** `signal` is aborted when the work is told to stop: what takes long looks at it between its steps. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** What the log says of a run that failed. */
  readonly failed: string;
  readonly log: Log;
}

/** Work that is repeated in the background. */
export interface Repeated {
  /** The first run is over, whatever came of it. */
  readonly begun: Promise<void>;
  /** Runs it soon. A kick during a run makes another one follow: it may have looked before what the kick tells of. */
  kick(): void;
  /** No run begins any more. Resolves when the one under way is over; whoever does not need that need not wait. */
  stop(): Promise<void>;
}

/**
 * Runs `work` at once, and again when it is kicked and in any case `everyMs` after each end, never beside itself. A run that
 * fails is logged and tried again when its time comes; one that hangs delays only itself. It keeps no process alive.
 */
export function repeat(options: RepeatOptions): Repeated {
  const { name, everyMs, spacingMs = 0, againMs = () => everyMs, work, failed, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isKicked = false;
  let failures = 0;
  let hurry = new AbortController();
  const once = () =>
    work(signal).then(
      () => {
        failures = 0;
      },
      (error) => {
        failures++;
        if (!signal.aborted) log.warn({ err: error, work: name, failures }, failed);
      },
    );
  const sleep = (ms: number, ends: AbortSignal) =>
    delay(ms, undefined, { signal: ends, ref: false }).catch(() => {});
  const rest = async (startedAt: number) => {
    const spacing = startedAt + spacingMs - performance.now();
    // After a failure kicks are not heeded: without a database they would make it spin.
    if (failures > 0) return sleep(Math.max(spacing, againMs(failures)), signal);
    if (spacing > 0) await sleep(spacing, signal);
    if (isKicked || signal.aborted) return;
    // One for each rest: what `AbortSignal.any` makes of a signal that lives long is kept for as long as that one (Node 20).
    hurry = new AbortController();
    await sleep(everyMs, hurry.signal);
  };
  let startedAt = performance.now();
  const begun = once();
  const run = async () => {
    await begun;
    for (;;) {
      if (!signal.aborted) await rest(startedAt);
      if (signal.aborted) return;
      isKicked = false;
      startedAt = performance.now();
      await once();
    }
  };
  const running = run();
  return {
    begun,
    kick() {
      isKicked = true;
      hurry.abort();
    },
    stop() {
      stopping.abort();
      hurry.abort();
      return running;
    },
  };
}

/**
 * Looks at something now and then, in the background, so that a scrape or a readiness check never waits for a query.
 * Resolves after the first look, to the function that ends it.
 */
export async function startSampler(options: {
  name: string;
  intervalMs: number;
  sample: () => Promise<void>;
  log: Log;
}): Promise<() => void> {
  const { name, intervalMs, sample, log } = options;
  const { begun, stop } = repeat({ name, everyMs: intervalMs, work: sample, failed: "sample failed", log });
  await begun;
  return () => void stop();
}
