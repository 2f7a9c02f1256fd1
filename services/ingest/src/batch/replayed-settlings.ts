import type { EventResult } from "#domain";
import type { Sql } from "#postgres";
import { keepReplayOrders } from "../positions/ingest-position.ts";
import { hasReadAgain, isReadAgain, type Mark, type Ownership } from "../positions/ownership.ts";
import { everyOrd } from "./apply-events.ts";
import { type EventBatch, eventAt, keyAt } from "./event-batch.ts";
import type { ReadAgain } from "./lost-members.ts";
import { firstOrds } from "./prepare-batch.ts";
import { raiseSettledOrder } from "./settled-order.ts";

/**
 * Numbers the settlings of a batch whose messages are read again after a restore. The numbers come from the
 * log. The sequence would give other numbers the second time, because partitions are read side by side and
 * batches are cut differently (decision 20).
 *
 * A transaction's number is the time at which the stream stored the message that settled it, in microseconds
 * since 1970, plus the place of its event in the message. If messages lie closer than they have events, their
 * numbers continue after those of the message before. So one log gives one order, however it is cut into
 * batches, even if authorization and reversal meet in one batch and the row is final when it is first stored.
 *
 * Crashes considered: the numbers are written with the batch, and so is the highest of them (`Replay.order`).
 * A batch that is tried again, by this owner or the next, gives the same numbers. After another restore, the
 * position has the `Replay.order` of that time.
 */
export class ReplayedSettlings {
  readonly #events: EventBatch;
  /** By `ord`; null: its message is new, and the transaction draws from the sequence. */
  readonly #numbers: readonly (number | null)[];
  readonly #next: ReadonlyMap<Ownership, number>;
  /** Events that clear or revert a transaction … */
  #ending: readonly number[] = [];
  /** … and the first events, among these, of transactions that were final before the batch. */
  #wereFinal: ReadonlySet<number> = new Set();

  /** @returns undefined if the batch has no repeated message with a place in the order of the log */
  static of(batch: ReadAgain): ReplayedSettlings | undefined {
    if (!hasReadAgain(batch)) return undefined;
    const { heads, events } = batch.prepared;
    const starts = firstOrds(heads);
    const numbers = new Array<number | null>(events.count).fill(null);
    const next = new Map<Ownership, number>();
    for (const [i, message] of batch.messages.entries()) {
      const mark = batch.marks[i] as Mark;
      const { ownership } = mark;
      const from = next.get(ownership) ?? ownership.replay?.order ?? null;
      if (from === null || !isReadAgain(message, mark)) continue;
      const first = Math.max(Math.floor(message.storedAtMs * 1000), from);
      const count = heads[i]?.events ?? 0;
      for (let place = 0; place < count; place++) numbers[(starts[i] as number) + place] = first + place;
      next.set(ownership, first + count);
    }
    return next.size === 0 ? undefined : new ReplayedSettlings(events, numbers, next);
  }

  private constructor(
    events: EventBatch,
    numbers: readonly (number | null)[],
    next: ReadonlyMap<Ownership, number>,
  ) {
    this.#events = events;
    this.#numbers = numbers;
    this.#next = next;
  }

  /** Call it first in the batch's transaction: a session that waits for the lock here must hold no other. */
  async begin(sql: Sql): Promise<void> {
    // Messages that lie close get numbers beyond the time at which the partition was taken over; so do NATS
    // servers with clocks that differ.
    await raiseSettledOrder(sql, Math.max(...this.#next.values()));
    const events = this.#events;
    this.#ending = everyOrd(events).filter((ord) => eventAt(events, ord).state !== "authorized");
    const firsts = [...new Set(this.#ending.map((ord) => events.firstOf[ord] as number))];
    const keys = firsts.map((ord) => keyAt(events, ord));
    const final = await sql<{ place: number }[]>`
      select key.place::int - 1 as place
      from unnest(
        ${keys.map(({ organisationId }) => organisationId)}::uuid[], ${keys.map(({ externalId }) => externalId)}::text[]
      ) with ordinality as key (organisation_id, external_id, place)
      cross join lateral (
        select from transactions t
        where t.organisation_id = key.organisation_id and t.external_id = key.external_id and t.state <> 'authorized'
        offset 0
      ) as t`;
    this.#wereFinal = new Set(final.map(({ place }) => firsts[place] as number));
  }

  /**
   * Call it after the write. A transaction whose first event clears or reverts it gets no number, the first
   * time and every other time: it counts as the first, and no receiver of settlements hears of it.
   */
  async write(sql: Sql, outcomes: readonly (EventResult | undefined)[]): Promise<void> {
    const events = this.#events;
    const seen = new Set(this.#wereFinal);
    const settling = this.#ending.filter((ord) => {
      const kind = outcomes[ord]?.kind;
      const first = events.firstOf[ord] as number;
      if ((kind !== "created" && kind !== "updated") || seen.has(first)) return false;
      seen.add(first);
      return kind === "updated";
    });
    if (settling.length === 0) return;
    const keys = settling.map((ord) => keyAt(events, ord));
    // Found by place, as in `updateTransactions`: this database transaction has locked or created the rows.
    await sql`
      update transactions t
      set settled_order = coalesce(settled.number, t.settled_order, nextval('transactions_settled_order'))
      from (
        select place.tid, key.number
        from unnest(
          ${keys.map(({ organisationId }) => organisationId)}::uuid[], ${keys.map(({ externalId }) => externalId)}::text[],
          ${settling.map((ord) => this.#numbers[ord] as number | null)}::bigint[]
        ) as key (organisation_id, external_id, number)
        cross join lateral (
          select t.ctid as tid from transactions t
          where t.organisation_id = key.organisation_id and t.external_id = key.external_id
          offset 0
        ) as place
      ) as settled
      where t.ctid = settled.tid`;
  }

  /**
   * Send it together with the move of the positions: a session that wrote these rows first could deadlock
   * with the one that moves them.
   */
  async keep(sql: Sql): Promise<void> {
    const orders = [...this.#next].map(([{ partition, epoch }, order]) => ({ partition, epoch, order }));
    await keepReplayOrders(sql, orders);
  }

  /** Notes that the batch is committed. */
  committed(): void {
    for (const [{ replay }, order] of this.#next) if (replay !== undefined) replay.order = order;
  }
}
