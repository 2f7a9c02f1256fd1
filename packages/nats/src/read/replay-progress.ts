import type { Log } from "#runtime";

/**
 * The messages that a reader handles again, or that came while no process read: from its place to the
 * stream's end at the start.
 */
export interface Replay {
  /** Its last sequence. */
  readonly through: number;
  /**
   * When the stream stored the last message finished by then, in milliseconds since 1970; null: not known.
   */
  readonly sinceMs: number | null;
}

/** A place older than this is out of date, because of a restore or because no process has read. */
const LEFT_BEHIND_MS = 60_000;

/**
 * Logs that messages are read which others may have handled: the database went back, or no process has read
 * for a while.
 * @returns the replay; undefined if the reading is ordinary
 */
export function tellReplay(
  log: Log,
  {
    stream,
    place: { done, storedAtMs },
    last: through,
    nowMs,
  }: {
    stream: string;
    place: { readonly done: number; readonly storedAtMs: number | null };
    last: number;
    nowMs: number;
  },
): Replay | undefined {
  if (storedAtMs === null || through <= done || nowMs - storedAtMs < LEFT_BEHIND_MS) return undefined;
  const facts = { stream, messages: through - done, since: new Date(storedAtMs).toISOString() };
  log.warn(
    facts,
    "reading the stream's messages since then: the database was restored, or no process has read them",
  );
  return { through, sinceMs: storedAtMs };
}

/** The number of unfinished messages of a replay; 0 without one. */
export function replayLeft({ done, replay }: { done: number; replay?: Replay | undefined }): number {
  return replay === undefined ? 0 : Math.max(0, replay.through - done);
}

const TOLD_EVERY_MS = 30_000;

/** Logs the progress of replays, and their end. */
export class ReplayProgress {
  readonly #log: Log;
  readonly #everyMs: number;
  /** When the progress was last logged, by stream, for replays under way. */
  readonly #toldAt = new Map<string, number>();

  constructor(log: Log, everyMs = TOLD_EVERY_MS) {
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /** Call it repeatedly, for each stream that is read. */
  note(stream: string, position: { done: number; replay?: Replay | undefined }): void {
    const messages = replayLeft(position);
    const toldAt = this.#toldAt.get(stream);
    const now = performance.now();
    if (messages === 0) {
      if (this.#toldAt.delete(stream)) this.#log.info({ stream }, "a replay is over");
    } else if (toldAt === undefined || now - toldAt >= this.#everyMs) {
      this.#toldAt.set(stream, now);
      this.#log.info({ stream, messages, done: position.done }, "a replay is under way");
    }
  }
}
