import type { Sql } from "#postgres";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";
import { type EventBatch, isForgotten, keyAt } from "./transactions/event-batch.ts";
import { findHighestKeys } from "./transactions/load-for-events.ts";

/** Keys of one organisation in one partition. */
interface Memory {
  /** Everything up to this key is looked up. In the order of bytes, as the primary key has it. */
  mark: string;
  /** Keys above the mark that are stored. */
  readonly recent: Set<string>;
}

/** Of one organisation: some 2 MB of keys of 36 characters at most. */
const RECENT_MAX = 16_384;
/** Whoever serves more sees some of them looked up anew now and then. */
const ORGANISATIONS_MAX = 256;
/** Of so many keys, drawn by chance, the middle one is near enough the middle of all. */
const SAMPLE = 63;

/**
 * What the owner of a partition knows to be new. Nobody else writes its keys, so whatever is stored above the highest key that
 * was there when it looked, the owner has written itself. `external_id`s are time-sortable: nearly all that come are above
 * it, and need no look-up. Random keys are right as well, and are looked up.
 *
 * It is of one taking over of one partition, and made anew with the next. What could make it wrong, and what happens then:
 * - A commit whose answer got lost has stored keys that are not remembered. The partition is taken over anew after it.
 * - Another owner, fenced off or not, has stored one. The primary key refuses the batch, which is done again by looking.
 * - The database was restored. Its position is another one then, and the owner is fenced.
 * - A transaction has left (decision 38). If it was there when the owner looked, it is below the mark or remembered, and is
 *   looked up. If it had left before, it was authorized before `forgottenBefore`, and what is that old is looked up as well.
 */
export class KnownKeys {
  readonly #memories = new Map<string, Memory>();
  #forgottenBefore: number | null = null;

  /** Microseconds since 1970; null: never. What was authorized before it is not new for certain, whatever its key. */
  get forgottenBefore(): number | null {
    return this.#forgottenBefore;
  }

  /** Those of these organisations whose highest key it has to be told first. */
  unknown(organisations: readonly string[]): string[] {
    return organisations.filter((organisation) => !this.#memories.has(organisation));
  }

  /**
   * @param highest the highest key that is stored, in the order of bytes; null: there is none
   * @param forgottenBefore as it was when that was read
   */
  learn(organisation: string, highest: string | null, forgottenBefore: number | null = null): void {
    if (this.#memories.size >= ORGANISATIONS_MAX) this.#memories.clear();
    this.#forgottenBefore = Math.max(this.#forgottenBefore ?? 0, forgottenBefore ?? 0) || null;
    this.#memories.set(organisation, { mark: highest ?? "", recent: new Set() });
  }

  /** Whether nothing is stored under the key for certain. */
  isNew(organisation: string, key: string): boolean {
    const memory = this.#memories.get(organisation);
    if (memory === undefined || !isAbove(key, memory.mark)) return false;
    return !memory.recent.has(key);
  }

  /** It is stored now. */
  add(organisation: string, key: string): void {
    const memory = this.#memories.get(organisation);
    if (memory === undefined || !isAbove(key, memory.mark)) return;
    memory.recent.add(key);
    if (memory.recent.size > RECENT_MAX) raiseMark(memory);
  }
}

/**
 * Texts of JavaScript compare by UTF-16 units, which is the order of bytes where one of them is ASCII. Another key counts as
 * below, and is looked up.
 */
function isAbove(key: string, mark: string): boolean {
  return key > mark && isAscii(key);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** Forgets the lower half, about: a key far above all others stays, and does not raise the mark for good. */
function raiseMark(memory: Memory): void {
  const keys = [...memory.recent];
  const drawn = Array.from({ length: SAMPLE }, () => keys[Math.floor(Math.random() * keys.length)] as string);
  const middle = drawn.sort()[SAMPLE >> 1] as string;
  memory.mark = middle;
  for (const key of keys) if (key <= middle) memory.recent.delete(key);
}

/** What the owner of a batch's partitions knows of its keys. */
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

  /** The batch is committed. What of it was refused is remembered too, and is only looked up once more. */
  committed(): void {
    for (let ord = 0; ord < this.#batch.count; ord++) {
      const { organisationId, externalId } = keyAt(this.#batch, ord);
      this.#keysAt[ord]?.add(organisationId, externalId);
    }
  }
}
