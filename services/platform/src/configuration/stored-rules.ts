import { type ApiError, LIMITS } from "#contract";
import type { PlatformRequestOf, PlatformRules } from "#contract/platform";
import { microsecondsOf, toUtcMicroseconds } from "#domain";
import { badRequest } from "#http";
import type { Rules } from "../rules/rules.ts";

/**
 * Stored rules: like those of the API, but always with a confirmation, and with times in the form of
 * `toUtcMicroseconds`.
 */
export type StoredRules = PlatformRules & { readonly confirmation: "retailer" | "none" };

/** The time in which a deal is in force, in microseconds since 1970. */
export interface Period {
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

/** @param rules of a validated request */
export function toStoredRules(rules: PlatformRules): StoredRules {
  const { paid_after, paid_before, confirmation = "retailer" } = rules;
  return {
    ...rules,
    confirmation,
    ...(paid_after !== undefined && { paid_after: toUtcMicroseconds(paid_after) }),
    ...(paid_before !== undefined && { paid_before: toUtcMicroseconds(paid_before) }),
  };
}

/** The rules in the form for matching. */
export function toRules(stored: StoredRules, { startsAt, endsAt }: Period): Rules {
  const { paid_after, paid_before } = stored;
  return {
    merchantIds: stored.merchant_ids,
    statementDescriptor: stored.statement_descriptor ?? null,
    minAmount: stored.min_amount ?? null,
    currency: stored.currency ?? null,
    paidAfter: paid_after === undefined ? null : microsecondsOf(paid_after),
    paidBefore: paid_before === undefined ? null : microsecondsOf(paid_before),
    confirmation: stored.confirmation,
    startsAt,
    endsAt,
    retroactive: stored.retroactive ?? false,
  };
}

/** The rules in the form of the API. */
export function writeRules(rules: StoredRules): StoredRules {
  const { paid_after, paid_before } = rules;
  return {
    ...rules,
    ...(paid_after !== undefined && { paid_after: toMilliseconds(paid_after) }),
    ...(paid_before !== undefined && { paid_before: toMilliseconds(paid_before) }),
  };
}

/** Cuts a timestamp of `toUtcMicroseconds` to milliseconds. */
export function toMilliseconds(timestamp: string): string {
  return `${timestamp.slice(0, 23)}Z`;
}

type ProgramRequest = PlatformRequestOf<"loyalty-program/upsert">;
type DealRequest = PlatformRequestOf<"deal/upsert">;

/*
 * Checks that a schema cannot make: fields that contradict each other or are too long together. Each throws
 * for the first fault.
 */

/** @throws ApiError `bad_request` */
export function refuseContradictions({
  rules,
  display_content,
}: Pick<ProgramRequest, "rules" | "display_content">): void {
  const bytes = Buffer.byteLength(JSON.stringify(display_content));
  if (bytes > LIMITS.displayContentBytes) {
    throw contradiction("/display_content", `has ${bytes} bytes; it may have ${LIMITS.displayContentBytes}`);
  }
  // Without a payment there is no amount, so this condition would never be met.
  if (rules.confirmation === "none" && (rules.min_amount ?? 0) > 0) {
    throw contradiction("/rules/min_amount", "cannot be checked with confirmation none");
  }
  refusePeriod("/rules/paid_before", "paid_after", rules.paid_after, rules.paid_before);
}

/** @throws ApiError `bad_request` */
export function refuseDealContradictions(deal: DealRequest): void {
  refuseContradictions(deal);
  // The reward would be a share of an amount that the platform never learns.
  if (deal.rules.confirmation === "none" && deal.reward_config.type === "percent") {
    throw contradiction("/reward_config/type", "cannot be percent with confirmation none");
  }
  refusePeriod("/ends_at", "starts_at", deal.starts_at, deal.ends_at);
}

/** A period includes its beginning and excludes its end, so one that ends where it begins is empty, and refused. */
function refusePeriod(path: string, beginning: string, from?: string, until?: string): void {
  if (from === undefined || until === undefined) return;
  if (toUtcMicroseconds(from) >= toUtcMicroseconds(until)) {
    throw contradiction(path, `must be after ${beginning}`);
  }
}

function contradiction(path: string, message: string): ApiError {
  return badRequest(`${path} ${message}`, { path, message });
}
