import { Revisions } from "./revisions.ts";
import type { Rules } from "./rules.ts";

/** Rules that ask for a payment at this merchant, and for nothing else. */
export function rulesOf(rules: Partial<Rules> = {}): Rules {
  return {
    merchantIds: ["MID-1"],
    statementDescriptor: null,
    minAmount: null,
    currency: null,
    paidAfter: null,
    paidBefore: null,
    confirmation: "retailer",
    startsAt: null,
    endsAt: null,
    retroactive: false,
    ...rules,
  };
}

/** Programs or deals by id, with one revision each. */
export function unchanging<T>(values: Iterable<readonly [string, T]>): Revisions<T> {
  return new Revisions([...values].map(([id, value]) => ({ id, since: 0, value })));
}
