import type { EventOutcome } from "#domain";
import type { Sql } from "#postgres";
import { keepReplayOrders } from "../positions/ingest-position.ts";
import { hasReadAgain, isReadAgain, type Mark, type Ownership } from "../positions/positions.ts";
import { everyOrd } from "./apply-events.ts";
import { type EventBatch, eventAt, keyAt } from "./event-batch.ts";
import type { ReadAgain } from "./lost-members.ts";
import { firstOrds } from "./prepare-batch.ts";
import { raiseSettledOrder } from "./settled-order.ts";

/**
 * What a batch settles whose messages are read again after a restore: numbered by the log and not by the
 * sequence, which would give other numbers the second time, since partitions are read side by side and
 * batches are cut differently (decision 20).
 *
 * A transaction has the time at which the stream stored the message that settled it, in microseconds since 1970, and above that the
 * place of its event in the message. Where messages lie closer than they have events, their numbers go on behind those of the one
 * before. So one log gives one order, however it is cut into batches: also where authorization and reversal meet in one, and the row is final
 * when it is first stored.
 *
 * Crashes thought of: the numbers are written with the batch, and so is how far they went (`Replay.order`). A batch that is tried
 * again, by this owner or the next, gives the same ones, and after another restore the position has that place of then.
 */
export class ReplayedSettlings {
  readonly #events: EventBatch;
  /** By `ord`; null: its message is new, and draws from the sequence. */
  readonly #numbers: readonly (number | null)[];
  readonly #next: ReadonlyMap<Ownership, number>;
  /** Events that clear or revert … */
  #ending: readonly number[] = [];
  /** … and of these the first events of transactions that were final before the batch. */
  #wereFinal: ReadonlySet<number> = new Set();

  /** @returns undefined where no message is read again that has a place in the order of the log */
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

  /** First of all in the batch's transaction: who waits for the lock here holds no other. */
  async begin(sql: Sql): Promise<void> {
    // Messages that lie close go beyond the time at which the partition was taken over; so do clocks of NATS servers that differ.
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
   * Behind the write. A transaction whose first event clears or reverts it has none, the first time and again: it counts as the first,
   * and is told of to no receiver of settlements.
   */
  async write(sql: Sql, outcomes: readonly (EventOutcome | undefined)[]): Promise<void> {
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
    // By their places, as in `updateTransactions`: this transaction has locked them, or made them.
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
   * Together with the move of the positions: a session that wrote these rows first could deadlock with the
   * one that moves them.
   */
  async keep(sql: Sql): Promise<void> {
    const orders = [...this.#next].map(([{ partition, epoch }, order]) => ({ partition, epoch, order }));
    await keepReplayOrders(sql, orders);
  }

  /** The batch is committed. */
  committed(): void {
    for (const [{ replay }, order] of this.#next) if (replay !== undefined) replay.order = order;
  }
}
