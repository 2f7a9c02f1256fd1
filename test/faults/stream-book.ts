import type { EventOutcome } from "#client";
import type { TransactionEvent } from "#contract";
import type { SeededRandom } from "#domain";
import type { Store } from "#postgres";
import { type Expected, fold } from "#test-world";

const SHOWN = 10;
const PAGE = 20_000;
/** How many earlier transactions a later event may come back to. */
const REMEMBERED = 5_000;
const SETTLED = { cleared: "2026-03-02T10:00:00Z", reverted: "2026-03-03T10:00:00Z" } as const;

/**
 * Makes the events of a stream, and keeps the fate of each. Fates follow from the events alone, by rules that
 * share nothing with the product (`fold`): one external id's events take effect in their order, whichever process is killed.
 */
export class StreamBook {
  readonly #random: SeededRandom;
  readonly #members: readonly string[];
  readonly #entries = new Map<string, Expected>();
  readonly #recent: TransactionEvent[] = [];
  /** The result of each event, or the reason of its rejection, if no process is killed; until its real one is known. */
  readonly #expected = new Map<{ readonly external_id: string }, string>();
  readonly #problems: string[] = [];
  #made = 0;
  /** Reported outcomes, by name. */
  readonly told: Record<string, number> = {};

  constructor(random: SeededRandom, members: readonly string[]) {
    this.#random = random;
    this.#members = members;
  }

  /** Makes the events one by one, on demand: only their number is fixed beforehand. */
  *events(count: number): Generator<TransactionEvent> {
    for (let i = 0; i < count; i++) {
      const event = this.#next();
      this.#expected.set(event, this.#apply(event));
      yield event;
    }
  }

  /**
   * The outcome of an event. A repeated request gets `unchanged` for events that its first attempt has
   * written.
   */
  settle(event: { readonly external_id: string }, outcome: EventOutcome): void {
    const expected = this.#expected.get(event);
    this.#expected.delete(event);
    const told = outcome.outcome === "rejected" ? rejectedAs(outcome) : outcome.outcome;
    this.told[told] = (this.told[told] ?? 0) + 1;
    const isRepeated = told === "unchanged" && (expected === "created" || expected === "updated");
    const isQueued = told === "accepted" && expected !== "bad_request";
    if (told === expected || isRepeated || isQueued) return;
    this.#problem(`${event.external_id}: told ${JSON.stringify(outcome)}, must be ${expected}`);
  }

  /** The disagreements: events of unknown fate, and rows of the organisation that are wrong. */
  async audit(store: Store, organisationId: string): Promise<string[]> {
    for (const event of this.#expected.keys()) this.#problem(`${event.external_id}: its fate is unknown`);
    let stored = 0;
    for (let after = ""; ; ) {
      const rows = await store<(Pick<Expected, "state" | "amount"> & { externalId: string })[]>`
        select external_id as "externalId", state, amount::int
        from transactions where organisation_id = ${organisationId} and external_id > ${after}
        order by external_id limit ${PAGE}`;
      for (const { externalId, state, amount } of rows) {
        const entry = this.#entries.get(externalId);
        if (entry?.state === state && entry.amount === amount) continue;
        this.#problem(`${externalId} is ${state} at ${amount}, and not ${JSON.stringify(entry)}`);
      }
      stored += rows.length;
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.externalId;
    }
    if (stored !== this.#entries.size) this.#problem(`${stored} rows for ${this.#entries.size} transactions`);
    return this.#problems;
  }

  #next(): TransactionEvent {
    const draw = this.#random.next();
    const earlier = this.#recent.length > 0 ? this.#random.pick(this.#recent) : undefined;
    if (earlier === undefined || draw < 0.7) return this.#authorization(this.#random.pick(this.#members));
    if (draw < 0.71) return { ...this.#authorization(this.#random.pick(this.#members), false), bin: "1" };
    if (draw < 0.72) return this.#authorization("m_00000000000000000000000000", false);
    if (draw < 0.76) return { ...earlier };
    const state = draw < 0.92 ? "cleared" : "reverted";
    const amount = this.#random.between(1, 100_000);
    return { ...earlier, amount, [`${state}_at`]: SETTLED[state] };
  }

  #authorization(member: string, isKept = true): TransactionEvent {
    const number = ++this.#made;
    const event: TransactionEvent = {
      member_id: member,
      external_id: `stream-${String(number).padStart(9, "0")}`,
      auth_code: `A${number}`,
      network: "visa",
      bin: "41111122",
      merchant_id: `MID-${number % 50}`,
      amount: this.#random.between(1, 100_000),
      currency: "EUR",
      authed_at: "2026-03-01T10:00:00Z",
    };
    if (isKept) this.#remember(event);
    return event;
  }

  #remember(event: TransactionEvent): void {
    if (this.#recent.length < REMEMBERED) this.#recent.push(event);
    else this.#recent[this.#random.between(0, REMEMBERED - 1)] = event;
  }

  #apply(event: TransactionEvent): string {
    if (event.bin === "1") return "bad_request";
    if (!this.#members.includes(event.member_id)) return "not_found";
    const folded = fold(this.#entries.get(event.external_id), event);
    if (folded.outcome === "rejected") return folded.reason;
    this.#entries.set(event.external_id, folded.next);
    return folded.outcome;
  }

  #problem(text: string): void {
    if (this.#problems.length < SHOWN) this.#problems.push(text);
  }
}

/** The service's reason is a name; for a malformed event it is words. */
function rejectedAs({ code, reason }: { readonly code: string; readonly reason: string }): string {
  return code === "bad_request" ? code : reason;
}
