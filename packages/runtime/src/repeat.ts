import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "./log.ts";

interface RepeatOptions {
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  readonly everyMs: number;
  /**
   * The least time between the starts of two runs, in milliseconds, however often `kick` is called. Absent:
   * 0.
   */
  readonly spacingMs?: number;
  /**
   * Used instead of `everyMs`, once `work` has found nothing to do `QUIET_AFTER` times in a row. Absent:
   * `everyMs`.
   */
  readonly quietMs?: number;
  /** How many milliseconds to wait after this many failures in a row. Absent: `everyMs`. */
  readonly againMs?: (failures: number) => number;
  /**
   * `signal` is aborted to stop the work: long work checks it between its steps. With `quietMs` it resolves
   * to true if there was something to do.
   */
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  /** The log's message for a run that failed. */
  readonly failed: string;
  readonly log: Log;
}

/** Ten seconds of looking every 250 ms. Work in steps, with waits between them, must not count as quiet. */
const QUIET_AFTER = 40;

/** Work that is repeated in the background. */
export interface Repeated {
  /** Resolves when the first run is over, whether it failed or not. */
  readonly begun: Promise<void>;
  /**
   * Asks for a run soon. A kick during a run makes another run follow, because the first may have looked
   * before the event of the kick.
   */
  kick(): void;
  /** Starts no more runs. Resolves once the one under way is over; callers need not wait for that. */
  stop(): Promise<void>;
}

/**
 * Runs `work` immediately, then after each kick and at least `everyMs` after each end; two runs never
 * overlap. A run that fails is logged and repeated when its time comes; a run that hangs delays only its own
 * work. It does not keep the process alive.
 */
export function repeat(options: RepeatOptions): Repeated {
  const {
    name,
    everyMs,
    quietMs = everyMs,
    spacingMs = 0,
    againMs = () => everyMs,
    work,
    failed,
    log,
  } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isKicked = false;
  let failures = 0;
  /** Runs in a row that found nothing to do. */
  let vain = 0;
  let hurry = new AbortController();
  const once = () =>
    work(signal).then(
      (isBusy) => {
        failures = 0;
        vain = isBusy === true ? 0 : vain + 1;
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
    // After a failure kicks are ignored: without a database they would make the work run in a tight loop.
    if (failures > 0) return sleep(Math.max(spacing, againMs(failures)), signal);
    if (spacing > 0) await sleep(spacing, signal);
    if (isKicked || signal.aborted) return;
    // A new controller for each rest: on Node 20 the signals that `AbortSignal.any` derives from a long-lived
    // signal are kept as long as that one.
    hurry = new AbortController();
    await sleep(vain < QUIET_AFTER ? everyMs : quietMs, hurry.signal);
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
 * If a look waited for a server that was away, its long duration means nothing, and the work that it missed
 * still waits.
 */
const LONGEST_REST_MS = 60_000;

/**
 * Work for `repeat` that looks for something to do: fruitless looks take at most this share of the time,
 * except for one look a minute, however long it takes.
 * @param look returns whether it did anything
 * @param now in milliseconds
 */
export function restingWhenIdle(
  share: number,
  look: (signal: AbortSignal) => Promise<boolean>,
  now: () => number = () => performance.now(),
): (signal: AbortSignal) => Promise<void> {
  let restUntil = 0;
  return async (signal) => {
    const startedAt = now();
    if (startedAt < restUntil) return;
    const isIdle = !(await look(signal));
    const endedAt = now();
    if (isIdle) restUntil = endedAt + Math.min((endedAt - startedAt) / share, LONGEST_REST_MS);
  };
}

/**
 * Samples something periodically in the background, so that a scrape or a readiness check never waits for a
 * query. Resolves after the first sample, to the function that ends it.
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
