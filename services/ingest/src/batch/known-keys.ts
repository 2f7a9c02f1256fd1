import { LIMITS } from "#contract";
import { copyAsciiAt, isAscii } from "#contract/codec";
import type { Sql } from "#postgres";
import { type EventBatch, isForgotten, keyAt } from "./event-batch.ts";
import { findHighestKeys } from "./load-for-events.ts";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";

/** The known keys of one organisation in one partition. */
interface Memory {
  /** All keys up to this one are looked up. Compared in byte order, like the primary key. */
  mark: string;
  /** Keys above the mark that are stored. Each is a copy: a slice would keep the whole text in memory. */
  readonly recent: Set<string>;
  /** The approximate memory of `recent`. */
  bytes: number;
}

/** An organisation without keys: its id, its mark, an empty set and their places. */
const ORGANISATION_BYTES = 512;
/**
 * The bytes of a key in `recent` without its characters: 16 for the head of the text, 20 to 40 for its place
 * in a set that grows by doubling.
 */
const KEY_BYTES = 56;
/**
 * The most organisations to remember. Beyond that, the ones whose last event is oldest are forgotten, and
 * looked up again when they return.
 */
export const ORGANISATIONS_MAX = 256;
/** The median of a random sample of this size is near enough the median of all keys. */
const SAMPLE = 63;

/**
 * Which keys the owner of a partition knows to be new. Only the owner writes the partition's keys, so it has
 * written every key above the highest one that it found. `external_id`s are time-sortable: nearly all that
 * come are above that one, and need no look-up. Random keys are right as well; the owner looks them up.
 *
 * Lives for one ownership of one partition; the next owner starts empty. Faults that could make it wrong, and
 * what happens then:
 * - The answer to a commit gets lost: its keys are stored, but not remembered. The process then takes the
 *   partition over again.
 * - Another owner, fenced off or not, has stored a key. The primary key refuses the batch, which is repeated
 *   with look-ups.
 * - The database was restored. Its position then differs, and the owner is fenced.
 * - Retention removed a transaction (decision 38). If it existed when the owner looked, its key is below the
 *   mark or
 *   remembered, and is looked up. If it was removed before, it was authorized before `forgottenBefore`, and
 *   keys of events
 *   that old are looked up as well.
 */
export class KnownKeys {
  /** By organisation, in the order of their last events, oldest first. */
  readonly #memories = new Map<string, Memory>();
  #forgottenBefore: number | null = null;
  #keyBytes = 0;

  /** Microseconds since 1970; null: never. An event that was authorized before it is never certainly new. */
  get forgottenBefore(): number | null {
    return this.#forgottenBefore;
  }

  /**
   * Those of a batch's organisations whose highest key the caller has to look up first. The known ones become
   * the most recently used.
   */
  unknown(organisations: readonly string[]): string[] {
    return organisations.filter((organisation) => {
      const memory = this.#memories.get(organisation);
      if (memory === undefined) return true;
      this.#memories.delete(organisation);
      this.#memories.set(organisation, memory);
      return false;
    });
  }

  /**
   * @param highest the highest stored key, in byte order; null: there is none
   * @param forgottenBefore its value when `highest` was read
   */
  learn(organisation: string, highest: string | null, forgottenBefore: number | null = null): void {
    this.#forget(organisation);
    const [oldest] = this.#memories.keys();
    if (oldest !== undefined && this.#memories.size >= ORGANISATIONS_MAX) this.#forget(oldest);
    this.#forgottenBefore = Math.max(this.#forgottenBefore ?? 0, forgottenBefore ?? 0) || null;
    this.#memories.set(organisation, { mark: highest ?? "", recent: new Set(), bytes: 0 });
  }

  #forget(organisation: string): void {
    this.#keyBytes -= this.#memories.get(organisation)?.bytes ?? 0;
    this.#memories.delete(organisation);
  }

  /** The approximate memory of all known keys. */
  get bytes(): number {
    return this.#memories.size * ORGANISATION_BYTES + this.#keyBytes;
  }

  /**
   * Forgets the keys of each organisation beyond its share, so that one with few keys loses nothing to one
   * with many.
   */
  shrinkTo(bytes: number): void {
    const share = bytes / this.#memories.size - ORGANISATION_BYTES;
    for (const memory of this.#memories.values()) {
      while (memory.bytes > Math.max(0, share)) this.#keyBytes -= raiseMark(memory);
    }
  }

  /** Whether it is certain that nothing is stored under the key. */
  isNew(organisation: string, key: string): boolean {
    const memory = this.#memories.get(organisation);
    if (memory === undefined || !isAbove(key, memory.mark)) return false;
    return !memory.recent.has(key);
  }

  /**
   * Notes that the key is stored now.
   * @param key ignored if it is not ASCII, because such a key is always looked up
   */
  add(organisation: string, key: string): void {
    const memory = this.#memories.get(organisation);
    if (memory === undefined || key <= memory.mark) return;
    const { recent } = memory;
    const count = recent.size;
    recent.add(key);
    if (recent.size === count) return;
    const bytes = KEY_BYTES + key.length;
    memory.bytes += bytes;
    this.#keyBytes += bytes;
    if (recent.size > LIMITS.knownKeysPerOrganisation) this.#keyBytes -= raiseMark(memory);
  }
}

/**
 * JavaScript compares texts by UTF-16 units, which equals byte order if one of the two is ASCII. A key that
 * is not ASCII counts as below, and is looked up.
 */
function isAbove(key: string, mark: string): boolean {
  return key > mark && isAscii(key);
}

/**
 * Forgets about the lower half. A key far above all others stays, so that it does not raise the mark for
 * good.
 * @returns the number of bytes freed
 */
function raiseMark(memory: Memory): number {
  const keys = [...memory.recent];
  const drawn = Array.from({ length: SAMPLE }, () => keys[Math.floor(Math.random() * keys.length)] as string);
  const middle = drawn.sort()[SAMPLE >> 1] as string;
  memory.mark = middle;
  let freed = 0;
  for (const key of keys) {
    if (key > middle) continue;
    memory.recent.delete(key);
    freed += KEY_BYTES + key.length;
  }
  memory.bytes -= freed;
  return freed;
}

/**
 * Keeps the known keys of all partitions of a process within one bound. Frees half when the bound is reached,
 * so that this is rare. A forgotten key is looked up.
 */
export function boundKnownKeys(partitions: readonly KnownKeys[], bytesMax = LIMITS.knownKeysBytes): void {
  const bytes = partitions.reduce((sum, keys) => sum + keys.bytes, 0);
  if (bytes <= bytesMax) return;
  for (const keys of partitions) keys.shrinkTo(bytesMax / 2 / partitions.length);
}

/** The owners' knowledge of a batch's keys. */
export class NewKeys {
  readonly #batch: EventBatch;
  readonly #partitions: ReadonlySet<KnownKeys>;
  /** By `ord`, for the partition of the event's message; undefined: this process does not own it any more. */
  readonly #keysAt: readonly (KnownKeys | undefined)[];

  /** @param keysOf the known keys for each message */
  constructor({ heads, events }: PreparedBatch, keysOf: readonly (KnownKeys | undefined)[]) {
    this.#batch = events;
    this.#partitions = new Set(keysOf.filter((keys) => keys !== undefined));
    const starts = firstOrds(heads);
    const keysAt = new Array<KnownKeys | undefined>(events.count);
    for (const [i, keys] of keysOf.entries()) keysAt.fill(keys, starts[i], starts[i + 1] ?? events.count);
    this.#keysAt = keysAt;
  }

  /**
   * Makes every partition know the highest keys of the batch's organisations. Reads the database if one does
   * not.
   */
  async learn(sql: Sql): Promise<void> {
    const { organisations } = this.#batch;
    const unknown = new Set([...this.#partitions].flatMap((keys) => keys.unknown(organisations)));
    if (unknown.size === 0) return;
    const { highest, forgottenBefore } = await findHighestKeys(sql, [...unknown]);
    for (const keys of this.#partitions) {
      for (const one of keys.unknown(organisations)) {
        keys.learn(one, highest.get(one) ?? null, forgottenBefore);
      }
    }
  }

  has(ord: number): boolean {
    const keys = this.#keysAt[ord];
    if (keys === undefined) return false;
    const { organisationId, externalId } = keyAt(this.#batch, ord);
    return keys.isNew(organisationId, externalId) && !isForgotten(this.#batch, ord, keys.forgottenBefore);
  }

  /**
   * Notes that the batch is committed. Keys of refused events are remembered, too; that costs an extra
   * look-up.
   */
  committed(): void {
    const { count, externalIds, organisations, organisationOf } = this.#batch;
    const copyOf = copyAsciiAt(externalIds);
    for (let ord = 0; ord < count; ord++) {
      const key = copyOf(ord);
      if (key !== undefined)
        this.#keysAt[ord]?.add(organisations[organisationOf[ord] as number] as string, key);
    }
  }
}
