import { LIMITS } from "#contract";
import { copyAsciiAt, isAscii } from "#contract/codec";
import type { Sql } from "#postgres";
import { type EventBatch, isForgotten, keyAt } from "./event-batch.ts";
import { findHighestKeys } from "./load-for-events.ts";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";

/** Keys of one organisation in one partition. */
interface Memory {
  /** Everything up to this key is looked up. In the order of bytes, as the primary key has it. */
  mark: string;
  /** Keys above the mark that are stored. Each is a text of its own: a piece of another would keep that one in memory. */
  readonly recent: Set<string>;
  /** What `recent` takes, about. */
  bytes: number;
}

/** An organisation without keys: its id, its mark, an empty set and their places. */
const ORGANISATION_BYTES = 512;
/** A key of `recent` beside its characters: 16 are a text's head, 20 to 40 its place in a set that grows by doubling. */
const KEY_BYTES = 56;
/**
 * The most organisations that are remembered. Beyond that, those without events for longest are forgotten,
 * and looked up again when they return.
 */
export const ORGANISATIONS_MAX = 256;
/** The median of a random sample of this size is near enough the median of all keys. */
const SAMPLE = 63;

/**
 * Which keys the owner of a partition knows to be new. Only the owner writes the partition's keys, so it has written every key
 * above the highest one that it found. `external_id`s are time-sortable: nearly all that come are above that one, and need no
 * look-up. Random keys are right as well; the owner looks them up.
 *
 * Lives for one ownership of one partition; the next owner starts empty. Faults that could make it wrong, and
 * what happens then:
 * - A commit whose answer got lost has stored keys that are not remembered. The process then takes the
 *   partition over again.
 * - Another owner, fenced off or not, has stored one. The primary key refuses the batch, which is done again by looking.
 * - The database was restored. Its position is another one then, and the owner is fenced.
 * - A transaction has left (decision 38). If it was there when the owner looked, it is below the mark or remembered, and is
 *   looked up. If it had left before, it was authorized before `forgottenBefore`, and what is that old is looked up as well.
 */
export class KnownKeys {
  /** By organisation; the one whose events came longest ago is first. */
  readonly #memories = new Map<string, Memory>();
  #forgottenBefore: number | null = null;
  #keyBytes = 0;

  /** Microseconds since 1970; null: never. An event that was authorized before it is never certainly new. */
  get forgottenBefore(): number | null {
    return this.#forgottenBefore;
  }

  /** Those of a batch's organisations whose highest key it has to be told first. The others are in use, and stay longest. */
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
   * @param highest the highest key that is stored, in the order of bytes; null: there is none
   * @param forgottenBefore as it was when that was read
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

  /** How much memory all of it takes, about. */
  get bytes(): number {
    return this.#memories.size * ORGANISATION_BYTES + this.#keyBytes;
  }

  /** Forgets of each organisation what is more than its share, so that one with few keys loses nothing to one with many. */
  shrinkTo(bytes: number): void {
    const share = bytes / this.#memories.size - ORGANISATION_BYTES;
    for (const memory of this.#memories.values()) {
      while (memory.bytes > Math.max(0, share)) this.#keyBytes -= raiseMark(memory);
    }
  }

  /** Whether nothing is stored under the key for certain. */
  isNew(organisation: string, key: string): boolean {
    const memory = this.#memories.get(organisation);
    if (memory === undefined || !isAbove(key, memory.mark)) return false;
    return !memory.recent.has(key);
  }

  /**
   * It is stored now.
   * @param key ASCII; any other is looked up whether it is known here or not
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
 * Texts of JavaScript compare by UTF-16 units, which is the order of bytes where one of them is ASCII. Another key counts as
 * below, and is looked up.
 */
function isAbove(key: string, mark: string): boolean {
  return key > mark && isAscii(key);
}

/**
 * Forgets the lower half, about: a key far above all others stays, and does not raise the mark for good.
 * @returns how many bytes were freed
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
 * Keeps what the partitions of a process remember within its bound, and frees half where it is reached, so that this is rare.
 * A key that is forgotten is looked up.
 */
export function boundKnownKeys(partitions: readonly KnownKeys[], bytesMax = LIMITS.knownKeysBytes): void {
  const bytes = partitions.reduce((sum, keys) => sum + keys.bytes, 0);
  if (bytes <= bytesMax) return;
  for (const keys of partitions) keys.shrinkTo(bytesMax / 2 / partitions.length);
}

/** What a batch's owner knows about its keys. */
export class NewKeys {
  readonly #batch: EventBatch;
  readonly #partitions: ReadonlySet<KnownKeys>;
  /** By `ord`, of the partition that its message came from; undefined: it is not owned any more. */
  readonly #keysAt: readonly (KnownKeys | undefined)[];

  /** @param keysOf of each message */
  constructor({ heads, events }: PreparedBatch, keysOf: readonly (KnownKeys | undefined)[]) {
    this.#batch = events;
    this.#partitions = new Set(keysOf.filter((keys) => keys !== undefined));
    const starts = firstOrds(heads);
    const keysAt = new Array<KnownKeys | undefined>(events.count);
    for (const [i, keys] of keysOf.entries()) keysAt.fill(keys, starts[i], starts[i + 1] ?? events.count);
    this.#keysAt = keysAt;
  }

  /** Has every partition know the highest keys of the batch's organisations. Reads the database where one does not. */
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

  /** The batch is committed. Keys of refused events are remembered too; that costs one look-up more. */
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
