import type { DeliveryStep, Explanation, Link, StampStep, Step, Trace, Verdict, Waiting } from "./shapes.ts";

/** All on one day unless said otherwise: `at("14:02")`. */
export const at = (clock: string, date = "2026-11-23"): string => `${date}T${clock}:00.000Z`;

export const CARD = {
  stamp_collection_id: "sc_coffee",
  loyalty_program_id: "lp_coffee",
  program_name: "Coffee",
} as const;

export const BOOKS = {
  stamp_collection_id: "sc_books",
  loyalty_program_id: "lp_books",
  program_name: "Books",
} as const;

/** A trace of an authorized purchase of 14:00, with these steps behind those that every purchase has. */
export function trace(
  steps: Step[],
  more: { transaction?: Partial<Trace["transaction"]>; waiting?: Waiting[]; links?: Link[] } = {},
): Trace {
  const transaction: Trace["transaction"] = {
    id: "tx_1",
    external_id: "order-1",
    member_id: "m_ada",
    state: "authorized",
    network: "visa",
    merchant_id: "4711",
    amount: 1250,
    currency: "EUR",
    authed_at: at("14:00"),
    rewards: [],
    ...more.transaction,
  };
  const { waiting = [], links = [enrolment()] } = more;
  return {
    transaction,
    steps: [{ at: at("14:01"), kind: "received", transaction_id: "tx_1" }, ...steps],
    waiting,
    links,
  };
}

export function stamp(fields: Partial<StampStep> = {}): StampStep {
  return {
    at: at("14:02"),
    kind: "stamp",
    qualifying_purchase_id: "qp_1",
    ...CARD,
    number: 17,
    unredeemed_purchases: 7,
    qualifying_threshold: 10,
    state: "live",
    ...fields,
  };
}

export function event(event_type: string, event_id = event_type, time = at("14:02")): Step {
  return { at: time, kind: "event", event_id, event_type };
}

export function delivery(event_ids: string[], fields: Partial<DeliveryStep> = {}): DeliveryStep {
  return {
    at: at("14:02"),
    kind: "delivery",
    delivery_id: "dlv_1",
    webhook_id: "whk_1",
    webhook_url: "https://bank.example/hook",
    state: "delivered",
    attempts: 1,
    status: 200,
    event_ids,
    ...fields,
  };
}

export function enrolment(fields: object = {}): Link {
  const { stamp_collection_id, loyalty_program_id, program_name: name } = CARD;
  const link = {
    stamp_collection_id,
    loyalty_program_id,
    name,
    made_at: at("09:00"),
    counts: true,
    text: "It counts.",
  };
  return { type: "enrolment", ...link, ...fields } as Link;
}

export function clip(fields: object = {}): Link {
  const link = {
    clip_id: "clip_1",
    deal_id: "deal_1",
    name: "Shoes",
    made_at: at("09:00"),
    counts: true,
    text: "It counts.",
  };
  return { type: "clip", ...link, ...fields } as Link;
}

export function verdict(is: Verdict["verdict"], fields: object = {}): Verdict {
  const { stamp_collection_id, loyalty_program_id, program_name: name } = CARD;
  const link = { type: "enrolment", stamp_collection_id, loyalty_program_id, name };
  return { ...link, verdict: is, text: "In its own words.", ...fields } as Verdict;
}

export function explained(...verdicts: Verdict[]): Explanation {
  return {
    kept: true,
    purchase: { state: "authorized", merchant_id: "4711", authed_at: at("14:00") },
    routing: {
      outcome: "routed",
      text: "It belongs to the roastery.",
      retailers: [{ id: "ret_1", name: "Roastery" }],
    },
    verdicts,
    near_misses: [],
    others: 0,
  };
}
