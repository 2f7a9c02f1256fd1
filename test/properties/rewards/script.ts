import fc from "fast-check";
import type { Known, Money, PurchaseState, Terms } from "./history.ts";

/** How many of each a run has. Few, so that new records meet old ones. */
export const PURCHASES = 7;
export const CARDS = 2;
export const CLIPS = 2;
export const PHASES = 2;

/** An input from outside. Numbers name purchases, stamp cards and clips of the run. */
export type Command =
  /** A transaction event: authorization, clearing, reversal, or an amount that comes later. */
  | { readonly do: "enter"; readonly purchase: number; readonly event: Known }
  /**
   * The platform finds that the purchase counts, or redeems a clip. The money is the payment that the
   * retailer reports.
   */
  | { readonly do: "stamp"; readonly purchase: number; readonly card: number; readonly money: Money }
  | { readonly do: "deal"; readonly purchase: number; readonly clip: number; readonly amount: number }
  /** All messages about a purchase come again. */
  | { readonly do: "resend"; readonly purchase: number }
  /** An outcome for another member's card or clip: a mistake or an attack. */
  | { readonly do: "stray"; readonly purchase: number; readonly victim: number }
  /** Null removes the program for good. */
  | { readonly do: "configure"; readonly card: number; readonly terms: Terms | null };

/** One run: the first terms of its programs, and the commands of each phase. */
export interface Script {
  readonly terms: readonly Terms[];
  readonly phases: readonly (readonly Command[])[];
}

const purchase = fc.nat({ max: PURCHASES - 1 });
const card = fc.nat({ max: CARDS - 1 });
const money = fc.record({
  amount: fc.constantFrom(null, null, 450, 520, 980),
  currency: fc.constantFrom(null, null, "EUR", "SEK"),
});
const event = fc
  .tuple(fc.constantFrom<PurchaseState[]>("authorized", "authorized", "cleared", "reverted"), money)
  .map(([state, { amount, currency }]) => ({ state, amount, currency }));
const terms = fc.record({
  threshold: fc.integer({ min: 1, max: 4 }),
  fixed: fc.constantFrom(null, null, 300, 301),
  currency: fc.constantFrom(null, "EUR"),
});
const named = <T extends string>(name: T) => fc.constant(name);

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: named("enter"), purchase, event }) },
  { weight: 9, arbitrary: fc.record({ do: named("stamp"), purchase, card, money }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: named("deal"),
      purchase,
      clip: fc.nat({ max: CLIPS - 1 }),
      amount: fc.integer({ min: 0, max: 99 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: named("resend"), purchase }) },
  { weight: 1, arbitrary: fc.record({ do: named("stray"), purchase, victim: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: named("configure"), card, terms: fc.option(terms, { freq: 12 }) }),
  },
);

export const scripts: fc.Arbitrary<Script> = fc.record({
  terms: fc.array(terms, { minLength: CARDS, maxLength: CARDS }),
  phases: fc.array(fc.array(command, { minLength: 6, maxLength: 15, size: "max" }), {
    minLength: PHASES,
    maxLength: PHASES,
  }),
});

/**
 * The same without hidden inputs: the terms stay, and each outcome has the payment, so a redemption has its
 * event with the stamp that makes it. The events in their order then determine the card, and no other order
 * of arrivals makes the same events for another card.
 */
export const openScripts: fc.Arbitrary<Script> = scripts.map(({ terms, phases }) => ({
  terms,
  phases: phases.map((commands) => commands.flatMap(asOpen)),
}));

function asOpen(command: Command): Command[] {
  if (command.do === "configure") return [];
  if (command.do !== "stamp") return [command];
  const { amount, currency } = command.money;
  return [{ ...command, money: { amount: amount ?? 450, currency: currency ?? "EUR" } }];
}
