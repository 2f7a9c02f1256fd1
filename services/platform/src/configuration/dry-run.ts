import { LIMITS } from "#contract";
import type { DryRunResult } from "#contract/platform";
import { decodeId, encodeId, microsecondsOf, type TransactionState } from "#domain";
import { found, jsonResponse } from "#http";
import { type Fragment, microsecondsSince1970, type Sql, type Store } from "#postgres";
import { definePlatformEndpoint, type PlatformEndpoint } from "../endpoint.ts";
import { type DraftOffer, type DryRun, dryRun, type TriedPurchase } from "../rules/dry-run.ts";
import { prepareRules, type RetailerPayment } from "../rules/rules.ts";
import { ConfigurationCache, NO_PERIOD, toRewardRule } from "./configuration.ts";
import { type DealFields, dealTable, readDeal, unknownDeal } from "./deals.ts";
import { programTable, readProgram, unknownProgram } from "./programs.ts";
import { toRules } from "./stored-rules.ts";

/**
 * Endpoints that try a draft of a program or deal on the purchases of the last day, and change nothing. They
 * cannot try purchases that were routed to no retailer, because these are not kept: the answer names the
 * merchant ids of the draft that no retailer has.
 */
export function dryRunEndpoints(store: Store): PlatformEndpoint[] {
  const configuration = new ConfigurationCache(store);
  const tryOffer = async (offer: DraftOffer, links: Links | undefined) => {
    const { routes } = await configuration.current();
    const { since, purchases, complete } = await readPurchases(store, links);
    const result = dryRun(offer, purchases, routes, LIMITS.dryRunExamples);
    return jsonResponse(200, {
      since: since.toISOString(),
      purchases: purchases.length,
      complete,
      ...(links !== undefined && { linked: result.linked }),
      ...writeDryRun(result),
    } satisfies DryRunResult);
  };
  return [
    definePlatformEndpoint("loyalty-program/dry-run", async ({ body }) => {
      const { rules } = readProgram(body);
      const offer = { rules: prepareRules(toRules(rules, NO_PERIOD)), reward: undefined };
      if (body.id === undefined) return tryOffer(offer, undefined);
      const id = found(decodeId("lp", body.id), unknownProgram);
      found(await programTable.get(store, id), unknownProgram);
      return tryOffer(offer, { column: "r.enrolments", id });
    }),

    definePlatformEndpoint("deal/dry-run", async ({ body }) => {
      const deal = readDeal(body);
      const rules = prepareRules(toRules(deal.rules, periodOf(deal)));
      const offer = { rules, reward: toRewardRule(deal.rewardConfig) };
      if (body.id === undefined) return tryOffer(offer, undefined);
      const id = found(decodeId("deal", body.id), unknownDeal);
      found(await dealTable.get(store, id), unknownDeal);
      return tryOffer(offer, { column: "r.clips", id });
    }),
  ];
}

function periodOf({ startsAt, endsAt }: Pick<DealFields, "startsAt" | "endsAt">) {
  const micros = (at: string | null) => (at === null ? null : microsecondsOf(at));
  return { startsAt: micros(startsAt), endsAt: micros(endsAt) };
}

/** The links of a record that count for the draft: those to this program or deal, a UUID. */
interface Links {
  readonly column: "r.enrolments" | "r.clips";
  readonly id: string;
}

interface PurchaseRow extends Omit<TriedPurchase, "payment" | "isReverted"> {
  readonly state: TransactionState;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly paidAt: number | null;
}

/**
 * The purchases whose records came in the last day, newest first, by the clock of the database; at most
 * `LIMITS.dryRunPurchases`. `records_arrived_idx` has this order, so only these rows are read.
 */
async function readPurchases(store: Store, links: Links | undefined) {
  const [{ since }] = await store<[{ since: Date }]>`
    select now() - ${LIMITS.dryRunMs}::float8 * interval '1 millisecond' as since`;
  const rows = await store<PurchaseRow[]>`
    select
      r.transaction_id as "transactionId", r.merchant_id as "merchantId",
      r.statement_descriptor as "statementDescriptor", r.shared, r.state,
      ${microsecondsSince1970(store, "r.authed_at")} as "authedAt", ${isLinked(store, links)} as "isLinked",
      p.amount, p.currency, ${microsecondsSince1970(store, "p.paid_at")} as "paidAt"
    from platform.records r
    left join platform.payments p on p.id = r.payment_id
    where r.arrived_at >= ${since}
    order by r.arrived_at desc
    limit ${LIMITS.dryRunPurchases + 1}`;
  return {
    since,
    complete: rows.length <= LIMITS.dryRunPurchases,
    purchases: rows.slice(0, LIMITS.dryRunPurchases).map(toTried),
  };
}

/** Links are pairs of UUIDs in one array. An id of one kind is never an id of the other. */
function isLinked(sql: Sql, links: Links | undefined): Fragment {
  return links === undefined
    ? sql`false`
    : sql`coalesce(${links.id}::uuid = any(${sql(links.column)}), false)`;
}

function toTried({ state, amount, currency, paidAt, ...row }: PurchaseRow): TriedPurchase {
  const isPaid = amount !== null && currency !== null && paidAt !== null;
  return { ...row, isReverted: state === "reverted", payment: isPaid ? { amount, currency, paidAt } : null };
}

function writeDryRun({ earned, reasons, rewards, examples, unroutedMerchantIds }: DryRun) {
  return {
    earned,
    reasons: [...reasons],
    rewards: [...rewards],
    examples: examples.map(({ purchase, result, reward }) => ({
      transaction_id: encodeId("tx", purchase.transactionId),
      merchant_id: purchase.merchantId,
      ...(purchase.statementDescriptor !== null && { statement_descriptor: purchase.statementDescriptor }),
      authed_at: writeMoment(purchase.authedAt),
      ...(purchase.payment !== null && { paid: writePayment(purchase.payment) }),
      result,
      ...(reward !== undefined && { reward }),
    })),
    unrouted_merchant_ids: [...unroutedMerchantIds],
  };
}

function writePayment({ amount, currency, paidAt }: RetailerPayment) {
  return { amount, currency, paid_at: writeMoment(paidAt) };
}

/** @param at microseconds since 1970 */
function writeMoment(at: number): string {
  return new Date(at / 1000).toISOString();
}
