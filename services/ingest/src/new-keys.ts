import type { Sql } from "#postgres";
import type { KnownKeys } from "./known-keys.ts";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";
import { type EventBatch, keyAt } from "./transactions/event-batch.ts";
import { findHighestKeys } from "./transactions/load-for-events.ts";

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
    const highest = await findHighestKeys(sql, [...unknown]);
    for (const keys of this.#partitions) {
      for (const one of keys.unknown(organisations)) keys.learn(one, highest.get(one) ?? null);
    }
  }

  has(ord: number): boolean {
    const { organisationId, externalId } = keyAt(this.#batch, ord);
    return this.#keysAt[ord]?.isNew(organisationId, externalId) ?? false;
  }

  /** The batch is committed. What of it was refused is remembered too, and is only looked up once more. */
  committed(): void {
    for (let ord = 0; ord < this.#batch.count; ord++) {
      const { organisationId, externalId } = keyAt(this.#batch, ord);
      this.#keysAt[ord]?.add(organisationId, externalId);
    }
  }
}
