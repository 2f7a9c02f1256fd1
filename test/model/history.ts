/**
 * Random histories: a seed and the answers so far decide the next request. Every write route and every option
 * of every rule occurs; `coverage.ts` counts how often. Enrolments, clips and revisions are made while a test
 * runs, so only the times of purchases vary: between two revisions of the test, or up to forty days back.
 * None is in the future: the revision in force at that time would not be known when the purchase is judged
 * (OPEN 16).
 */

import { pairCell } from "./coverage.ts";
import type { Deal, Payment, Program, Retailer, Rules, TransactionEvent } from "./facts.ts";
import { identifier } from "./wallet-purchases.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const COUNTS = { retailers: 3, programs: 3, deals: 4, members: 4 };
const NAMES = ["Cafe 12", "CAFE ROYAL", "Bar 3", "Else"];
const CURRENCIES = ["EUR", "EUR", "EUR", "USD", "KWD", "JPY"];

export type Request =
  | { readonly kind: "retailer" | "program" | "deal"; readonly slot: number; readonly record: object | null }
  | { readonly kind: "member"; readonly slot: number }
  | { readonly kind: "member-deletion"; readonly slot: number }
  | { readonly kind: "memberbase-deletion" }
  | { readonly kind: "enrolment" | "clip"; readonly member: number; readonly of: number }
  | { readonly kind: "event"; readonly member: number; readonly event: Omit<TransactionEvent, "member_id"> }
  | { readonly kind: "payment"; readonly retailer: number; readonly payment: Payment };

interface Sent {
  readonly retailer: number;
  readonly payment: Payment;
}

/** The requests of a history so far. Every slot stands for one id, which an answer gives. */
export class History {
  readonly name: string;
  readonly #random: () => number;
  /** Draws for later additions, so that the earlier requests of a seed stay the same. */
  readonly #aside: () => number;
  /** A retailer that does not exist from the beginning. */
  #late: Extract<Request, { record: object | null }> | undefined;
  readonly #startedAt = Date.now();
  readonly #count: (cell: string) => void;
  readonly #events: { member: number; event: Omit<TransactionEvent, "member_id"> }[] = [];
  readonly #paid = new Set<string>();
  readonly #payments: Sent[] = [];
  readonly #isGone = new Set<string>();
  readonly #reverted = new Set<string>();
  readonly #raised = new Map<string, Omit<TransactionEvent, "member_id">>();
  readonly #hasRaised: boolean;
  #purchases = 0;
  #last: Request["kind"] | undefined;

  constructor(seed: number, run: string, count: (cell: string) => void) {
    this.name = `${run}-${seed}`;
    this.#random = mulberry32(seed);
    this.#aside = mulberry32(seed ^ 0x5eed);
    this.#hasRaised = seed % 5 === 0;
    this.#count = count;
  }

  /** The first requests of every history. */
  setUp(): Request[] {
    const all = (count: number) => Array.from({ length: count }, (_, slot) => slot);
    const retailers = all(COUNTS.retailers).map((slot) => {
      return { kind: "retailer" as const, slot, record: this.#retailer(slot) };
    });
    if (this.#aside() < 0.3) [this.#late] = retailers.splice(Math.floor(this.#aside() * 2), 1);
    return [
      ...retailers,
      ...all(COUNTS.programs).map((slot): Request => ({ kind: "program", slot, record: this.#program() })),
      ...all(COUNTS.deals).map((slot): Request => ({ kind: "deal", slot, record: this.#deal() })),
      ...all(COUNTS.members).map((slot): Request => ({ kind: "member", slot })),
      ...all(COUNTS.members).map(
        (member): Request => ({ kind: "enrolment", member, of: member % COUNTS.programs }),
      ),
    ];
  }

  /**
   * In every fifth history, without a draw: a card with rising thresholds. Two of its stamps are redeemed,
   * and three more stay below the threshold of the last one, until `givesBack` voids that one and undoes the
   * redemption: then four count (OPEN 7).
   */
  *raises(): Generator<Request> {
    if (!this.#hasRaised) return;
    const program = (qualifying_threshold: number): Request => ({
      kind: "program",
      slot: COUNTS.programs,
      record: {
        qualifying_threshold,
        reward_config: { type: "fixed-reward", amount: 500 },
        rules: { merchant_ids: [this.#merchant(1)], confirmation: "none", currency: "EUR" },
      },
    });
    yield program(2);
    yield { kind: "enrolment", member: 0, of: COUNTS.programs };
    for (const name of ["a", "b"]) yield this.#ofRaised(name);
    yield program(3);
    for (const name of ["c", "d"]) yield this.#ofRaised(name);
    yield program(9);
    yield this.#ofRaised("e");
  }

  givesBack(): Request[] {
    return ["e", "a"].flatMap((name): Request[] => {
      const event = this.#raised.get(name);
      if (event === undefined) return [];
      return [{ kind: "event", member: 0, event: { ...event, reverted_at: after(event.authed_at) } }];
    });
  }

  #ofRaised(name: string): Request {
    const event = {
      external_id: `${this.name}-raised-${name}`,
      auth_code: `RAISED-${name}`,
      network: "visa" as const,
      bin: "411111",
      merchant_id: this.#merchant(1),
      amount: 1000,
      currency: "EUR",
      authed_at: iso(Date.now()),
    };
    this.#raised.set(name, event);
    return { kind: "event", member: 0, event };
  }

  /** @param side `publisher`: no request that needs the platform's own API */
  next(side: "publisher" | "both"): Request {
    for (;;) {
      const request =
        side === "both" && this.#aside() < 0.1
          ? this.#makeLate()
          : this.#draw(side === "both" ? this.#int(21) : this.#int(15));
      if (request === undefined) continue;
      if (this.#last !== undefined) this.#count(pairCell(this.#last, request.kind));
      this.#last = request.kind;
      return request;
    }
  }

  #makeLate(): Request | undefined {
    const late = this.#late;
    if (late !== undefined) this.#count("retailer made later");
    this.#late = undefined;
    return late;
  }

  #draw(number: number): Request | undefined {
    if (number < 4) return this.#buy();
    if (number < 8) return this.#again();
    if (number < 10)
      return { kind: "enrolment", member: this.#int(COUNTS.members), of: this.#int(COUNTS.programs) };
    if (number < 13) return { kind: "clip", member: this.#int(COUNTS.members), of: this.#int(COUNTS.deals) };
    if (number < 15) return this.#rarely();
    if (number < 19) return this.#pay();
    return this.#revise();
  }

  #rarely(): Request | undefined {
    const slot = this.#int(COUNTS.members);
    if (this.#chance(0.3)) return { kind: "member", slot };
    if (this.#chance(0.4)) return { kind: "member-deletion", slot };
    if (this.#chance(0.25) && !this.#isGone.has("memberbase")) {
      this.#isGone.add("memberbase");
      return { kind: "memberbase-deletion" };
    }
    return undefined;
  }

  #buy(): Request {
    const number = ++this.#purchases;
    const authed_at = this.#authedAt();
    const merchant = this.#pick([0, 1, 1, 2, 2]);
    const amount = this.#pick([40, 450, 1000, 1999, 2000, 10_000, undefined]);
    const currency = this.#chance(0.15) ? undefined : this.#pick(CURRENCIES);
    this.#count(
      `amount ${amount === undefined ? "unknown" : "known"}, currency ${currency ? "known" : "unknown"}`,
    );
    const twin = this.#chance(0.3) ? this.#pick(this.#goneForGood()) : undefined;
    if (twin !== undefined) this.#count("made again with the same card after a reversal");
    const made = twin?.event ?? {
      auth_code: `A${number}`,
      network: this.#pick(["visa", "mastercard", "amex", "other"] as const),
      bin: this.#pick(["411111", "41111122"]),
      merchant_id: this.#merchant(merchant),
      ...descriptor(this.#pick([...NAMES, undefined])),
    };
    const { auth_code, network, bin, merchant_id, statement_descriptor } = made;
    return this.#said(twin?.member ?? this.#int(COUNTS.members), {
      external_id: `${this.name}-${String(number).padStart(3, "0")}`,
      auth_code,
      network,
      bin,
      merchant_id,
      ...descriptor(statement_descriptor),
      ...(amount !== undefined && { amount }),
      ...(currency !== undefined && { currency }),
      authed_at,
      ...this.#pick([{}, {}, {}, {}, { cleared_at: after(authed_at) }, { reverted_at: after(authed_at) }]),
    });
  }

  /** Events of reverted purchases whose card and code no standing purchase shares. */
  #goneForGood() {
    const standing = new Set(
      this.#events
        .filter(({ event }) => !this.#reverted.has(event.external_id))
        .map(({ event }) => event.auth_code),
    );
    return this.#events.filter(({ event }) => !standing.has(event.auth_code));
  }

  /** Notes that the service took an event. */
  taken({ external_id, reverted_at }: Pick<TransactionEvent, "external_id" | "reverted_at">): void {
    if (reverted_at !== undefined) this.#reverted.add(external_id);
  }

  #said(member: number, event: Omit<TransactionEvent, "member_id">): Request {
    this.#events.push({ member, event });
    const state = event.cleared_at ? "cleared" : event.reverted_at ? "reverted" : "authorized";
    this.#count(`event ${state}`);
    return { kind: "event", member, event };
  }

  /** Another event of a known purchase: mostly its end. */
  #again(): Request | undefined {
    const known = this.#pick(this.#events);
    if (known === undefined) return undefined;
    const { cleared_at: _cleared, reverted_at: _reverted, ...event } = known.event;
    const settles = this.#chance(0.6)
      ? { amount: this.#pick([10, 450, 900, 3000]), currency: event.currency ?? "EUR" }
      : {};
    const kind = this.#pick([
      "clear",
      "clear",
      "revert",
      "revert",
      "fill",
      "same",
      "bin",
      "member",
      "card",
    ] as const);
    this.#count(`again: ${kind}`);
    if (kind === "same") return { kind: "event", ...known };
    if (kind === "member") return { kind: "event", member: this.#int(COUNTS.members), event };
    if (kind === "card")
      return { kind: "event", member: known.member, event: { ...event, auth_code: "WRONG" } };
    if (kind === "bin")
      return { kind: "event", member: known.member, event: { ...event, bin: `${event.bin}22`.slice(0, 8) } };
    if (kind === "fill")
      return this.#said(known.member, {
        ...known.event,
        amount: event.amount ?? 700,
        currency: event.currency ?? "EUR",
      });
    const end = after(event.authed_at);
    const renamed = this.#aside() < 0.4 ? NAMES[Math.floor(this.#aside() * NAMES.length)] : undefined;
    if (renamed !== undefined) this.#count("settled with another descriptor");
    return this.#said(known.member, {
      ...event,
      ...settles,
      ...descriptor(renamed ?? event.statement_descriptor),
      ...(kind === "clear" ? { cleared_at: end } : { reverted_at: end }),
    });
  }

  /** At most one payment for a card and code, so that pairing is never in question (OPEN 5). */
  #pay(): Request | undefined {
    if (this.#payments.length > 0 && this.#chance(0.1)) {
      this.#count("payment sent again with another amount");
      const { retailer, payment } = this.#pick(this.#payments) as Sent;
      return { kind: "payment", retailer, payment: { ...payment, amount: payment.amount + 1 } };
    }
    const known = this.#pick(this.#events.slice(-6));
    if (known === undefined || this.#paid.has(known.event.auth_code)) return undefined;
    this.#paid.add(known.event.auth_code);
    const event = { ...known.event, member_id: "" };
    const eight = identifier(event, 8);
    const withEight = eight !== undefined && this.#chance(0.5);
    // Without a draw, so that a seed's later requests stay the same.
    const isOfTwo = !withEight && this.#payments.length % 2 === 1;
    const other = {
      ...event,
      network: event.network === "visa" ? ("mastercard" as const) : ("visa" as const),
    };
    const digits = withEight ? "six and eight digits" : isOfTwo ? "six digits of two networks" : "six digits";
    this.#count(`payment with ${digits}`);
    const first = this.#events.find((one) => one.event.external_id === event.external_id) ?? known;
    const retailer = this.#chance(0.05) ? this.#int(COUNTS.retailers) : this.#retailerOf(first.event);
    const payment: Payment = {
      payment_id: `P-${this.name}-${this.#payments.length}`,
      identifiers: [
        ...(isOfTwo ? [identifier(other, 6) as string] : []),
        identifier(event, 6) as string,
        ...(withEight ? [eight] : []),
      ],
      ...(isOfTwo && { bin_digits: [6, 6] }),
      amount: this.#pick([event.amount ?? 1000, 40, 1999]),
      currency: event.currency ?? this.#pick(CURRENCIES),
      paid_at: event.authed_at,
    };
    this.#payments.push({ retailer, payment });
    return { kind: "payment", retailer, payment };
  }

  #retailerOf({
    merchant_id,
    statement_descriptor = "",
  }: {
    merchant_id: string;
    statement_descriptor?: string | undefined;
  }) {
    if (!merchant_id.endsWith("-0")) return Number(merchant_id.at(-1)) - 1;
    return statement_descriptor.toUpperCase().startsWith("BAR") ? 1 : 0;
  }

  #revise(): Request | undefined {
    const kind = this.#pick(["program", "program", "deal", "deal", "retailer", "retailer"] as const);
    const slot = this.#int(
      kind === "deal" ? COUNTS.deals : kind === "program" ? COUNTS.programs : COUNTS.retailers,
    );
    if (this.#isGone.has(`${kind} ${slot}`)) return undefined;
    if (this.#chance(0.12)) {
      this.#isGone.add(`${kind} ${slot}`);
      this.#count(`${kind} deleted`);
      return { kind, slot, record: null };
    }
    this.#count(`${kind} revised`);
    const record =
      kind === "program" ? this.#program() : kind === "deal" ? this.#deal() : this.#retailer(slot);
    return { kind, slot, record };
  }

  /**
   * The first two share merchant id 0, and differ in their descriptors; the third sometimes has that of the
   * second.
   */
  #retailer(slot: number): Retailer {
    const isSharing = slot < 2 && this.#chance(0.8);
    const own = this.#chance(0.9) ? [this.#merchant(slot + 1)] : [this.#merchant(9)];
    this.#count(`retailer ${isSharing ? "with" : "without"} the shared merchant id`);
    return {
      merchant_ids: isSharing ? [this.#merchant(0), ...own] : own,
      ...(slot < 2 && { statement_descriptors: [["CAFE", "BAR"][slot] as string] }),
    };
  }

  #program(): Program {
    const rules = this.#rules(false);
    const isFixed = this.#chance(0.5);
    this.#count(
      isFixed ? `fixed-reward, currency ${rules.currency ? "of the rules" : "of the purchase"}` : "refund",
    );
    const qualifying_threshold = this.#pick([1, 1, 2, 2, 3, 5]);
    this.#count(`threshold ${qualifying_threshold}`);
    return {
      qualifying_threshold,
      reward_config: isFixed ? { type: "fixed-reward", amount: this.#pick([300, 500]) } : { type: "refund" },
      rules,
    };
  }

  #deal(): Deal {
    const isPercent = this.#chance(0.5);
    const max = this.#pick([undefined, undefined, 0, 25]);
    this.#count(isPercent ? `percent, ${max === undefined ? "no maximum" : `maximum ${max}`}` : "fixed");
    const period = this.#pick([
      {},
      {},
      { starts_at: iso(this.#startedAt - 5 * DAY_MS) },
      { ends_at: iso(this.#startedAt + 12 * HOUR_MS) },
      { starts_at: iso(this.#startedAt - 35 * DAY_MS), ends_at: iso(this.#startedAt + 12 * HOUR_MS) },
    ]);
    for (const bound of Object.keys(period)) this.#count(bound);
    return {
      reward_config: isPercent
        ? {
            type: "percent",
            percent: this.#pick([1, 2.5, 10, 100]),
            ...(max !== undefined && { max_amount: max }),
          }
        : { type: "fixed", amount: this.#pick([0, 100, 500, 500]), currency: this.#pick(CURRENCIES) },
      rules: this.#rules(isPercent),
      ...period,
    };
  }

  #rules(isPercent: boolean): Rules {
    const confirmation = isPercent
      ? "retailer"
      : this.#pick(["none", "none", "retailer", undefined] as const);
    const isConfirmed = confirmation !== "none";
    const options = {
      ...(this.#chance(0.3) && { statement_descriptor: this.#pick(["CAFE", "Bar", "Cafe R"]) }),
      ...(isConfirmed && this.#chance(0.3) && { min_amount: this.#pick([500, 2000]) }),
      ...(this.#chance(0.3) && { currency: this.#pick(["EUR", "USD"]) }),
      ...(this.#chance(0.2) && { paid_after: iso(this.#startedAt - 10 * DAY_MS) }),
      ...(this.#chance(0.2) && { paid_before: iso(this.#startedAt + 12 * HOUR_MS) }),
      ...(this.#chance(0.5) && { retroactive: this.#chance(0.8) }),
      ...(confirmation !== undefined && { confirmation }),
    };
    for (const [option, value] of Object.entries(options)) {
      this.#count(
        `rules: ${option}${typeof value === "boolean" || option === "confirmation" ? ` ${value}` : ""}`,
      );
    }
    const merchants = this.#pick([[0, 1, 2], [0, 1, 2], [1], [2, 3], [0], [1, 2, 3, 9]]);
    return { merchant_ids: merchants.map((merchant) => this.#merchant(merchant)), ...options };
  }

  #authedAt(): string {
    const now = Date.now();
    const [name, ms] = this.#pick([
      ["now", now],
      ["now", now],
      ["since the start", this.#startedAt + Math.floor(this.#random() * (now - this.#startedAt))],
      ["since the start", this.#startedAt + Math.floor(this.#random() * (now - this.#startedAt))],
      ["45 s back", now - 45 * SECOND_MS],
      ["90 s back", now - 90 * SECOND_MS],
      ["1 h back", now - HOUR_MS],
      ["7 to 29 days back", now - this.#pick([7, 15, 29]) * DAY_MS],
      ["31 to 40 days back", now - this.#pick([31, 40]) * DAY_MS],
    ] as [string, number][]);
    this.#count(`authorized ${name}`);
    return iso(ms);
  }

  #merchant = (number: number): string => `M-${this.name}-${number}`;
  #int = (below: number): number => Math.floor(this.#random() * below);
  #chance = (share: number): boolean => this.#random() < share;
  #pick = <T>(of: readonly T[]): T => of[this.#int(of.length)] as T;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const after = (time: string): string => iso(Date.parse(time) + 2 * SECOND_MS);
const descriptor = (text: string | undefined) => (text === undefined ? {} : { statement_descriptor: text });

/** A well-known small generator: a seed gives the same numbers everywhere. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
