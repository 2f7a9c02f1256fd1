import { explainRefusal, isDatabaseDiskFull, type LockHolder, type Refusal } from "./explain-refusal.ts";
import type { CheckResult, Health } from "./health.ts";
import type { MetricFactory } from "./metrics/metrics.ts";

/**
 * Work that is not done after this time makes no progress. A statement has 10 s, and a lock may hold it all
 * that time.
 */
const STANDS_AFTER_MS = 5_000;
/** From then on it is worth a query for the blocking session. */
const SLOW_AFTER_MS = 2_000;
/**
 * Work that was given back is retried within seconds, here or by its next owner: if this process has not
 * retried it for this long, it no longer has it.
 */
const REFUSAL_COUNTS_MS = 30_000;
/** If PostgreSQL goes away within this time after an error about a full disk, the disk is the reason. */
const LAST_WORDS_COUNT_MS = 60_000;
/** The name for work that belongs to no hop: rules and runbooks know it. */
const DATABASE = "PostgreSQL";

/** A hop that has work and makes no progress, with the reason as far as it is known. */
export interface Standing extends Refusal {
  readonly hop: string;
  readonly seconds: number;
}

/** One piece of work: a batch, or the attempt to publish a message. */
export interface Work {
  /** It failed, and the same piece of work tries it again. */
  refused(error: unknown): void;
  /** It is done: the hop moves. */
  done(): void;
  /** It failed, and will be started again later. */
  failed(error: unknown): void;
  /** Another process owns it now. */
  left(): void;
}

interface Failure {
  readonly at: number;
  readonly error: unknown;
}

interface OpenWork {
  readonly startedAt: number;
  failure: Failure | undefined;
}

interface HopState {
  readonly open: Set<OpenWork>;
  /** Since when everything of the hop was given back; undefined while it makes progress. */
  failingSince: number | undefined;
  failure: Failure | undefined;
}

/**
 * The work of this process's hops, to show whether they make progress. A server that answers pings may refuse
 * all work (its disk is full, a right is missing, a table is locked): a connection is no proof of progress.
 *
 * Every loop reports here what it begins and how it ended (`packages/nats`: batches and publications), so
 * that no service has to. Finished work is not kept.
 */
export class Progress {
  readonly #hops = new Map<string, HopState>();
  #databaseDisk: Failure | undefined;
  #databaseGoneSince: number | undefined;
  readonly #now: () => number;
  /** The session last found to hold a lock that our statements wait for. */
  lockHolder: LockHolder | undefined;
  /** NATS' last report of its own health; undefined: all is well, or it was not asked. */
  natsComplaint: string | undefined;

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  begin(name: string): Work {
    const hop = this.#hopOf(name);
    const work: OpenWork = { startedAt: this.#now(), failure: undefined };
    hop.open.add(work);
    return {
      refused: (error) => {
        work.failure = this.#failed(error);
      },
      done: () => {
        hop.open.delete(work);
        hop.failingSince = undefined;
        hop.failure = undefined;
      },
      failed: (error) => {
        hop.open.delete(work);
        if (this.#isOld(hop.failure)) hop.failingSince = undefined;
        hop.failingSince ??= work.startedAt;
        hop.failure = this.#failed(error);
      },
      left: () => {
        hop.open.delete(work);
      },
    };
  }

  /** Work that fails by throwing, and is started again later. */
  async watch<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begun = this.begin(name);
    try {
      const result = await work();
      begun.done();
      return result;
    } catch (error) {
      begun.failed(error);
      throw error;
    }
  }

  databaseAnswered(): void {
    this.#databaseGoneSince = undefined;
  }

  /**
   * The last query of PostgreSQL failed. A PostgreSQL without room for its log ends, its sessions' partitions
   * have no owner, and all that remains visible is a refused connection: so its last message is shown while
   * it is away.
   */
  databaseFailed(error: unknown): void {
    this.#databaseGoneSince ??= this.#now();
    this.#failed(error);
  }

  /** Whether a hop may soon count as standing. */
  get isSlow(): boolean {
    return [...this.#hops.values()].some((hop) => this.#agesMs(hop) >= SLOW_AFTER_MS);
  }

  standing(): Standing[] {
    return [...this.#fullDatabase(), ...this.#standingHops()];
  }

  #fullDatabase(): Standing[] {
    const [gone, disk] = [this.#databaseGoneSince, this.#databaseDisk];
    if (gone === undefined || disk === undefined || gone - disk.at > LAST_WORDS_COUNT_MS) return [];
    const ms = this.#now() - gone;
    if (ms < STANDS_AFTER_MS) return [];
    return [{ hop: DATABASE, seconds: ms / 1000, ...explainRefusal(disk.error, undefined) }];
  }

  #standingHops(): Standing[] {
    return [...this.#hops].flatMap(([name, hop]) => {
      const ms = this.#agesMs(hop);
      if (ms < STANDS_AFTER_MS) return [];
      const refusal = explainRefusal(this.#failureOf(hop)?.error, this.lockHolder, this.natsComplaint);
      return [{ hop: name, seconds: ms / 1000, ...refusal }];
    });
  }

  check(): CheckResult {
    const standing = this.standing();
    if (standing.length === 0) return { ok: true, detail: "every hop with work moves" };
    return { ok: false, detail: standing.map(describeStanding).join("; ") };
  }

  #hopOf(name: string): HopState {
    let hop = this.#hops.get(name);
    if (hop === undefined) {
      hop = { open: new Set(), failingSince: undefined, failure: undefined };
      this.#hops.set(name, hop);
    }
    return hop;
  }

  /** How long its oldest work has not been done. */
  #agesMs({ open, failingSince, failure }: HopState): number {
    const now = this.#now();
    let oldest = failingSince === undefined || this.#isOld(failure) ? now : failingSince;
    // They are in the order of their beginning.
    for (const { startedAt } of open) {
      oldest = Math.min(oldest, startedAt);
      break;
    }
    return now - oldest;
  }

  #failureOf({ open, failure }: HopState): Failure | undefined {
    for (const work of open) if (work.failure !== undefined) return work.failure;
    return failure;
  }

  #failed(error: unknown): Failure {
    const failure = { at: this.#now(), error };
    if (isDatabaseDiskFull(error)) this.#databaseDisk = failure;
    return failure;
  }

  #isOld(failure: Failure | undefined): boolean {
    return failure === undefined || this.#now() - failure.at > REFUSAL_COUNTS_MS;
  }
}

/** `INGEST stands for 12 s (disk: could not extend file …): free space …` */
export function describeStanding({ hop, seconds, cause, said, mend }: Standing): string {
  const what = hop === DATABASE ? "has been away" : "has work and has not moved";
  return `${hop} ${what} for ${Math.floor(seconds)} s (${cause}: ${said}): ${mend}`;
}

/**
 * Shows it in `/readyz?verbose` and a metric. It does not decide readiness: taking a process out of service
 * removes none of the causes, and an edge still accepts everything that can be stored.
 */
export function showProgress(metrics: MetricFactory, health: Health, progress: Progress): void {
  health.addShown("progress", () => progress.check());
  const gauge = metrics.gauge(
    "stampede_hop_standing_seconds",
    "Time for which the hop has had work and has not moved, with the cause as a class and in words; 0 while it moves.",
    ["where", "cause", "said"],
    () => {
      gauge.reset();
      const standing = progress.standing();
      // There is always a sample: a missing sample would mean a missing process.
      if (standing.length === 0) gauge.set({ where: "none", cause: "none", said: "" }, 0);
      for (const { hop, cause, said, mend, seconds } of standing) {
        gauge.set({ where: hop, cause, said: `${said}: ${mend}` }, seconds);
      }
    },
  );
}
