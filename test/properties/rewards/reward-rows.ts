import type { WebhookEvent } from "#contract";
import { decodeId } from "#domain";
import type { Store } from "#postgres";
import type { Observed } from "./explain.ts";
import { cashbackLine } from "./reward-model.ts";

/** An event about a stamp collection or a clip, by UUID. */
type RewardEvent = Extract<WebhookEvent, { cashback_id: string } | { qualifying_purchase_id: string }>;

interface StampRow {
  readonly id: string;
  readonly collection: string;
  readonly ref: string;
  readonly voided: boolean;
  readonly redemption: string | null;
}
interface CashbackRow {
  readonly id: string;
  readonly owner: string;
  readonly redemption: string | null;
  readonly ref: string;
  readonly amount: number;
  readonly currency: string;
  readonly state: string;
  readonly standing: boolean | null;
}

/**
 * An organisation's rows of every stamp collection and clip, in the words of the models. Stamps and cashbacks
 * are numbered in the order of their first event; those without any event have no number.
 */
export class RewardRows {
  /** By UUID of the stamp collection or clip. */
  readonly observed = new Map<string, Observed[]>();
  readonly #store: Store;
  readonly #organisationId: string;
  readonly #numbers = new Map<string, string>();
  #lastSequence = 0;

  constructor(store: Store, organisationId: string) {
    this.#store = store;
    this.#organisationId = organisationId;
  }

  /** Reads all new events since the last call; everything must be at rest. */
  async read(): Promise<void> {
    await this.#readEvents();
    const rows = await this.#readRows();
    for (const [id, told] of rows) this.#of(id).push({ kind: "rest", rows: told });
  }

  async #readEvents(): Promise<void> {
    const events = await this.#store<{ sequence: number; body: string }[]>`
      select sequence, body from events
      where organisation_id = ${this.#organisationId} and sequence > ${this.#lastSequence}
      order by sequence`;
    for (const { sequence, body } of events) {
      this.#lastSequence = sequence;
      const event = JSON.parse(body) as RewardEvent;
      const owner = ownerOf(event);
      this.#of(owner).push({ kind: "event", line: this.#lineOf(owner, event) });
    }
  }

  #lineOf(owner: string, event: RewardEvent): string {
    const { type, transaction_ref: ref } = event;
    if ("cashback_id" in event) {
      const number = this.#number(owner, "c", decodeId("cb", event.cashback_id) as string);
      if (event.source.type === "loyalty-program-redemption") {
        const redemption = this.#number(owner, "r", decodeId("red", event.source.redemption_id) as string);
        if (redemption !== number) return `${type} names redemption ${redemption} for cashback ${number}`;
      }
      return cashbackLine(type.replace("cashback.", ""), number, ref, `${event.amount} ${event.currency}`);
    }
    const number = this.#number(owner, "s", decodeId("qp", event.qualifying_purchase_id) as string);
    return `${type} s${number} ${ref} ${event.unredeemed_purchases}`;
  }

  /** Rows by stamp collection or clip, for the whole organisation. */
  async #readRows(): Promise<Map<string, string>> {
    const sql = this.#store;
    const organisation = this.#organisationId;
    const collections = await sql<{ id: string; counter: number }[]>`
      select id, unredeemed_purchases as counter from stamp_collections where organisation_id = ${organisation}`;
    const clips = await sql<{ id: string; redeemed: boolean }[]>`
      select id, redeemed_at is not null as redeemed from clips where organisation_id = ${organisation}`;
    const stamps = await sql<StampRow[]>`
      select id, stamp_collection_id as collection, transaction_ref as ref, voided_at is not null as voided,
             redemption_id as redemption
      from qualifying_purchases where organisation_id = ${organisation} order by position`;
    const cashbacks = await sql<CashbackRow[]>`
      select c.id, coalesce(c.clip_id, c.stamp_collection_id) as owner, c.redemption_id as redemption,
             c.transaction_ref as ref, c.amount, c.currency, c.state,
             (select r.undone_at is null and r.transaction_id = c.transaction_id from redemptions r
              where r.id = c.redemption_id) as standing
      from cashbacks c where c.organisation_id = ${organisation}`;
    const told = new Map<string, string[]>();
    for (const { id, counter } of collections) told.set(id, [`counter ${counter}`]);
    for (const { id, redeemed } of clips) told.set(id, [redeemed ? "redeemed" : "open"]);
    for (const stamp of stamps) told.get(stamp.collection)?.push(this.#describeStamp(stamp));
    for (const cashback of this.#inOrder(cashbacks)) {
      told.get(cashback.owner)?.push(this.#describeCashback(cashback));
    }
    return new Map([...told].map(([id, lines]) => [id, lines.join("; ")]));
  }

  #describeStamp({ id, collection, ref, voided, redemption }: StampRow): string {
    const place = voided
      ? "void"
      : redemption === null
        ? "free"
        : `c${this.#numberOf(collection, redemption)}`;
    return `s${this.#numberOf(collection, id)} ${ref} ${place}`;
  }

  #describeCashback({ id, owner, redemption, ref, amount, currency, state, standing }: CashbackRow): string {
    const line = `c${this.#numberOf(owner, id)} ${ref} ${amount} ${currency} ${state}`;
    return redemption === null || standing === (state !== "reverted")
      ? line
      : `${line}, its redemption standing: ${standing}`;
  }

  #inOrder(cashbacks: readonly CashbackRow[]): CashbackRow[] {
    return cashbacks.toSorted((a, b) => {
      return Number(this.#numberOf(a.owner, a.id)) - Number(this.#numberOf(b.owner, b.id));
    });
  }

  #of(owner: string): Observed[] {
    const observed = this.observed.get(owner) ?? [];
    this.observed.set(owner, observed);
    return observed;
  }

  /** Gives the next number of its kind to a record without one. */
  #number(owner: string, kind: "s" | "c" | "r", id: string): number {
    const known = this.#numbers.get(`${owner} ${id}`);
    if (known !== undefined) return Number(known);
    const last = Number(this.#numbers.get(`last ${kind} ${owner}`) ?? 0);
    this.#numbers.set(`last ${kind} ${owner}`, String(last + 1));
    this.#numbers.set(`${owner} ${id}`, String(last + 1));
    return last + 1;
  }
  #numberOf(owner: string, id: string): string {
    return this.#numbers.get(`${owner} ${id}`) ?? "?";
  }
}

function ownerOf(event: RewardEvent): string {
  if (!("source" in event)) return decodeId("sc", event.stamp_collection_id) as string;
  return event.source.type === "clip"
    ? (decodeId("clip", event.source.clip_id) as string)
    : (decodeId("sc", event.source.stamp_collection_id) as string);
}
