import type { CheckResult, Log, ServiceContext } from "#runtime";
import type { Store } from "./connect.ts";
import {
  claimPartitions,
  leavePartitions,
  PARTITION_LOCKS,
  type PartitionLocks,
  releasePartitions,
  viewPartitions,
} from "./partition-locks.ts";

/** How often ownership is confirmed; also how soon a partition of a dead process finds its next owner. */
const CONFIRM_MS = 1_000;
/** Rounds after kicks are at least this far apart. */
const KICK_SPACING_MS = 20;

/** Why a partition cannot be taken over yet: a temporary state, and no fault. */
export class ExpectedWait extends Error {
  override readonly name = "ExpectedWait";
}

/** The calls when partitions change hands. */
export interface OwnershipListener {
  /** From now on this process alone owns the partition. */
  gained(partition: number): Promise<void>;
  /**
   * This process no longer owns it. `finish`: whether it gives the partition up voluntarily. Then the call
   * ends only when nothing of the partition is under way, and the next owner gets it after that, so that
   * order holds.
   */
  lost(partition: number, finish: boolean): Promise<void>;
  /**
   * The database does not answer, so no process knows the owner of these partitions, which this process owned
   * last. Called repeatedly during that time, and not waited for.
   */
  adrift?(partitions: readonly number[]): Promise<void>;
}

/**
 * Shares the partitions evenly among all processes of a service, one owner each, by advisory locks in
 * Postgres. A process that joins gets its share from those that have more than theirs; one that dies, or
 * loses its session, loses its locks with it.
 *
 * The locks only decide which process should work. Between the loss of a session and its discovery two
 * processes may believe to be the owner, for as long as a query may take. In ingest, the epoch of the
 * position lets only the newest of them commit; in platform and rewards all work can be repeated without
 * harm.
 */
export class PartitionOwnership {
  readonly #store: Store;
  readonly #locks: PartitionLocks;
  readonly #partitions: readonly number[];
  readonly #log: Log;
  readonly #listener: OwnershipListener;
  readonly #announce: () => void;
  readonly #owned = new Set<number>();
  /** The number of locks held at the last query. */
  #locked = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;
  #isKicked = false;
  /** Why it is unknown whether the locks are held; undefined: they are. */
  #doubt: string | undefined = "not looked at yet";
  #ownedLast: readonly number[] = [];
  #adrift: NodeJS.Timeout | undefined;
  #isTelling = false;
  /** Locked partitions that could not be taken over, with the reason. */
  readonly #refused = new Map<number, string>();

  /**
   * @param options.store of one connection that nothing else uses, with a short time-out for statements:
   * while a query is open, no process knows the owner
   * @param options.announce tells the other processes that partitions are free. Absent: they find out within
   * a second
   */
  constructor(options: {
    store: Store;
    service: keyof typeof PARTITION_LOCKS;
    partitions: number;
    log: Log;
    listener: OwnershipListener;
    announce?: () => void;
  }) {
    this.#store = options.store;
    this.#locks = PARTITION_LOCKS[options.service];
    this.#partitions = Array.from({ length: options.partitions }, (_, partition) => partition);
    this.#log = options.log;
    this.#listener = options.listener;
    this.#announce = options.announce ?? (() => {});
  }

  get owned(): readonly number[] {
    return [...this.#owned];
  }

  /** The number of partitions whose locks this process has, also of those that it takes over again, but not of new ones. */
  get locked(): number {
    return this.#locked;
  }

  /** The partitions to watch: the owned ones, or while the database does not answer, the ones owned last: nobody has them then. */
  get watched(): readonly number[] {
    return this.#doubt === undefined ? this.owned : this.#ownedLast;
  }

  /** Why this process does not, or may not, read its partitions; undefined: all is well. */
  get fault(): string | undefined {
    if (this.#doubt !== undefined) return `ownership is unknown: ${this.#doubt}`;
    const [refused] = this.#refused;
    return refused && `partition ${refused[0]} is not taken over: ${refused[1]}`;
  }

  /**
   * These partitions are lost, or have another place: if this process still owns them, it takes them over
   * again.
   */
  forget(partitions: readonly number[]): void {
    for (const partition of partitions) this.#owned.delete(partition);
    this.kick();
  }

  #now(): void {
    clearTimeout(this.#timer);
    this.#round = this.#confirm();
  }

  /** The first round; later ones follow automatically. */
  async start(): Promise<void> {
    this.#round = this.#confirm();
    await this.#round;
  }

  /** Another process released partitions: looks immediately. */
  kick(): void {
    if (this.#stopped) return;
    if (this.#timer === undefined) this.#isKicked = true;
    else this.#now();
  }

  /**
   * Hands over the owned partitions now, and ends the membership, so that the others share them all. Each
   * partition is released once no batch of it is under way; the next owner begins at its position.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
    this.#endAdrift();
    await Promise.all(this.owned.map((partition) => this.#lose(partition, true)));
    // A failure only costs time: the locks end with the store's connection at the latest.
    await leavePartitions(this.#store).catch((error) => {
      this.#log.warn({ err: error }, "partitions were not handed over");
    });
    this.#locked = 0;
    this.#announce();
  }

  async #confirm(): Promise<void> {
    this.#timer = undefined;
    this.#isKicked = false;
    try {
      await this.#share();
      this.#doubt = undefined;
      this.#ownedLast = [];
      this.#endAdrift();
    } catch (error) {
      this.#doubt = (error as Error).message;
      this.#locked = 0;
      // Without an answer the locks may be gone: another process may already be the owner.
      this.#log.warn({ err: error }, "partition ownership is unknown");
      if (this.#owned.size > 0) this.#ownedLast = this.owned;
      for (const partition of this.owned) await this.#lose(partition, false);
      // A round may take seconds while the database is away.
      this.#adrift ??= setInterval(() => this.#tellAdrift(), CONFIRM_MS);
    }
    if (this.#stopped) return;
    // After a kick during the round: it may have looked too early.
    const waitMs = this.#isKicked ? KICK_SPACING_MS : CONFIRM_MS;
    this.#timer = setTimeout(() => this.#now(), waitMs);
  }

  #endAdrift(): void {
    clearInterval(this.#adrift);
    this.#adrift = undefined;
  }

  #tellAdrift(): void {
    if (this.#isTelling || this.#ownedLast.length === 0) return;
    this.#isTelling = true;
    const told = this.#listener.adrift?.(this.#ownedLast) ?? Promise.resolve();
    void told
      .catch((error) =>
        this.#log.warn({ err: error }, "could not make room in streams that no process reads"),
      )
      .finally(() => {
        this.#isTelling = false;
      });
  }

  async #share(): Promise<void> {
    const { held, members } = await viewPartitions(this.#store, this.#locks);
    this.#locked = held.length;
    for (const partition of this.owned) {
      if (!held.includes(partition)) await this.#lose(partition, false);
    }
    for (const partition of this.#refused.keys()) {
      if (!held.includes(partition)) this.#refused.delete(partition);
    }
    // A lock without a consumer: the last change failed half-way, or the partition is to be taken over again.
    await Promise.all(held.map((partition) => this.#gain(partition)));
    const share = Math.ceil(this.#partitions.length / members);
    for (const partition of held.slice(share)) {
      this.#refused.delete(partition);
      await this.#lose(partition, true);
      await releasePartitions(this.#store, this.#locks, [partition]);
      this.#announce();
    }
    if (held.length >= share) return;
    const free = this.#partitions.filter((partition) => !held.includes(partition));
    const claimed = await claimPartitions(this.#store, this.#locks, free, share - held.length);
    await Promise.all(claimed.map((partition) => this.#gain(partition)));
    // Only now: a process that lost all, perhaps to a copy, must ask before it takes one over (`CopyGuard`).
    this.#locked += claimed.length;
  }

  async #gain(partition: number): Promise<void> {
    if (this.#owned.has(partition)) return;
    try {
      await this.#listener.gained(partition);
    } catch (error) {
      // The lock is kept; the next round tries again.
      this.#refused.set(partition, (error as Error).message);
      if (error instanceof ExpectedWait) {
        this.#log.info({ partition, cause: error.message }, "partition will be taken over a little later");
      } else this.#log.warn({ partition, err: error }, "partition was not taken over");
      return;
    }
    this.#refused.delete(partition);
    this.#owned.add(partition);
    this.#log.info({ partition, owned: this.owned }, "partition gained");
  }

  async #lose(partition: number, finish: boolean): Promise<void> {
    this.#owned.delete(partition);
    await this.#listener.lost(partition, finish);
    this.#log.info({ partition, owned: this.owned, finish }, "partition lost");
  }
}

/** The reader of the owned partitions: a loop of `#nats`. */
interface PartitionReader {
  /** Undefined when it does not read the partition. */
  feedOf(partition: number): { readonly fault: string | undefined } | undefined;
}

/** Metrics of the partitions that this process owns, and a check of its readiness. */
export function showOwnership(
  { metrics, health }: Pick<ServiceContext, "metrics" | "health">,
  owned: {
    readonly ownership: PartitionOwnership;
    readonly partitions: number;
    readonly readers: readonly PartitionReader[];
    /** It also answers requests, which need no partition: the check is then shown and does not count. */
    readonly servesRequests?: boolean;
  },
): void {
  const { ownership, partitions, readers, servesRequests = false } = owned;
  metrics.gaugeOf(
    "stampede_partitions_owned",
    "Partitions that this process reads.",
    () => ownership.owned.length,
  );
  metrics
    .gauge(
      "stampede_partitions",
      "Partitions of the installation; one process of the service should read each.",
    )
    .set(partitions);
  const check = (): CheckResult => {
    const shares = `owns ${ownership.owned.length} of ${partitions}`;
    const fault = ownership.fault ?? unreadOf(ownership.owned, readers);
    return { ok: fault === undefined, detail: fault === undefined ? shares : `${shares}; ${fault}` };
  };
  if (servesRequests) health.addShown("partitions", check);
  else health.addCheck("partitions", check);
}

function unreadOf(owned: readonly number[], readers: readonly PartitionReader[]): string | undefined {
  for (const partition of owned) {
    for (const reader of readers) {
      const fault = reader.feedOf(partition)?.fault;
      if (fault !== undefined) return `partition ${partition} is not read: ${fault}`;
    }
  }
  return undefined;
}
