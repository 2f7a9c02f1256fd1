import { ApiError, LIMITS } from "#contract";
import type { PlatformAnswerOf } from "#contract/platform";
import { decodeId } from "#domain";
import { found, jsonResponse } from "#http";
import type { Store } from "#postgres";
import { ConfigurationCache } from "../configuration/configuration.ts";
import { definePlatformEndpoint, type PlatformEndpoint } from "../endpoint.ts";
import {
  type ExplainedLink,
  type ExplainedVerdict,
  explainPurchase,
  type PreparedPrograms,
} from "../rules/explain-purchase.ts";
import { namesMerchant } from "../rules/rules.ts";
import { readRecord, retailersOf, type Subject, subjectOf } from "./explained-subject.ts";
import { readKeptPurchase, readNames } from "./kept-purchase.ts";
import { findNearMisses } from "./near-misses.ts";
import { writeExplanation } from "./write-explanation.ts";

/** The endpoint that explains what a purchase earns. It changes nothing. */
export function explainEndpoints(store: Store, now: () => Date): PlatformEndpoint[] {
  const configuration = new ConfigurationCache(store);
  return [
    definePlatformEndpoint("purchase/explain", async ({ body }) => {
      const given = readRecord(body);
      const id = body.transaction_id === undefined ? undefined : decodeId("tx", body.transaction_id);
      const kept = id === undefined ? undefined : await readKeptPurchase(store, id);
      const { routes, prepared } = await configuration.current();
      const subject = found(subjectOf(kept, given, id ?? null, routes, now()), unknownPurchase);
      return jsonResponse(200, await answer(store, subject, prepared));
    }),
  ];
}

function unknownPurchase(): ApiError {
  return new ApiError(
    "not_found",
    "no such purchase is kept: nothing is of purchases that are routed to no retailer, and of others for 30 to 210 days; ask " +
      "with merchant_id, authed_at and what else is known of it, to be told where it goes and what it earns",
    { resource: "purchase", ask_with: ["merchant_id", "authed_at"] },
  );
}

async function answer(
  store: Store,
  subject: Subject,
  prepared: PreparedPrograms,
): Promise<PlatformAnswerOf<"purchase/explain">> {
  const { verdicts, others } = judge(subject, prepared);
  const { route, kept } = subject;
  const targets = (type: ExplainedLink["type"]) =>
    verdicts.filter(({ link }) => link.type === type).map(({ link }) => link.targetId);
  const retailers = [...retailersOf(route), ...(kept === undefined ? [] : [kept.record.route.retailerId])];
  const names = await readNames(store, {
    programs: targets("enrolment"),
    deals: targets("clip"),
    retailers,
  });
  const nearMisses = await findNearMisses(store, subject);
  return writeExplanation(subject, { verdicts, others, names, nearMisses });
}

/**
 * If no links are known, judges the programs and deals that name the merchant id, and only counts the others.
 */
function judge(
  { purchase, links }: Subject,
  prepared: PreparedPrograms,
): { verdicts: readonly ExplainedVerdict[]; others: number } {
  if (links !== undefined) return { verdicts: explainPurchase(purchase, links, prepared), others: 0 };
  const { programs, deals } = prepared;
  const ofThen = {
    programs: [...programs.allInForce(purchase.authedAt)],
    deals: [...deals.allInForce(purchase.authedAt)],
  };
  const naming: ExplainedLink[] = [
    ...ofThen.programs
      .filter(([, { rules }]) => namesMerchant(rules, purchase.merchantId))
      .map(([targetId]) => ({ type: "enrolment" as const, id: null, targetId })),
    ...ofThen.deals
      .filter(([, { rules }]) => namesMerchant(rules, purchase.merchantId))
      .map(([targetId]) => ({ type: "clip" as const, id: null, targetId })),
  ].slice(0, LIMITS.linksExplained);
  const verdicts = explainPurchase(purchase, naming, prepared);
  return { verdicts, others: ofThen.programs.length + ofThen.deals.length - verdicts.length };
}
