import type { ApiError, PlatformRequestOf } from "#contract";
import { toUtcMicroseconds } from "#domain";
import { badRequest } from "#http";

type ProgramRequest = PlatformRequestOf<"loyalty-program/upsert">;
type DealRequest = PlatformRequestOf<"deal/upsert">;

/*
 * What a schema cannot say: fields that are right by themselves and make no sense together. Each function throws for the
 * first fault that it finds.
 */

/** @throws ApiError `bad_request` */
export function refuseContradictions({ rules }: Pick<ProgramRequest, "rules">): void {
  // A condition that nobody can check would never be met: no payment, no amount.
  if (rules.confirmation === "none" && (rules.min_amount ?? 0) > 0) {
    throw contradiction("/rules/min_amount", "cannot be checked with confirmation none");
  }
  refusePeriod("/rules/paid_before", "paid_after", rules.paid_after, rules.paid_before);
}

/** @throws ApiError `bad_request` */
export function refuseDealContradictions(deal: DealRequest): void {
  refuseContradictions(deal);
  // A share of an amount that the platform does not get to know.
  if (deal.rules.confirmation === "none" && deal.reward_config.type === "percent") {
    throw contradiction("/reward_config/type", "cannot be percent with confirmation none");
  }
  refusePeriod("/ends_at", "starts_at", deal.starts_at, deal.ends_at);
}

/** A period includes its beginning and excludes its end: one that ends where it begins is empty. */
function refusePeriod(path: string, beginning: string, from?: string, until?: string): void {
  if (from === undefined || until === undefined) return;
  if (toUtcMicroseconds(from) >= toUtcMicroseconds(until)) {
    throw contradiction(path, `must be after ${beginning}`);
  }
}

function contradiction(path: string, message: string): ApiError {
  return badRequest(`${path} ${message}`, { path, message });
}
