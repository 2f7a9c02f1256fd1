import { ApiError, LIMITS } from "#contract";
import type { Payment } from "#contract/platform";
import { decodeId, microsecondsOf, toUtcMicroseconds } from "#domain";
import { badRequest, jsonResponse, malformed } from "#http";
import type { Store } from "#postgres";
import type { ConfigurationCache } from "./configuration/configuration.ts";
import { definePlatformEndpoint, type PlatformCaller, type PlatformEndpoint } from "./endpoint.ts";
import type { QueuedOutcomes } from "./matching/outcome-queue.ts";
import { pairHalves } from "./matching/pair-halves.ts";
import { type NewPayment, storePayments } from "./matching/store-payments.ts";
import type { MatchingMetrics } from "./metrics.ts";
import { getRetailer } from "./retailers/retailer-rows.ts";
import { unknownRetailer } from "./retailers/retailers.ts";

export function paymentEndpoints(store: Store, take: ReturnType<typeof paymentIntake>): PlatformEndpoint[] {
  return [
    definePlatformEndpoint(
      "payment/ingest",
      async ({ body, caller, traceparent }) => {
        refuseOtherLengths(body.payments);
        const retailerId = await retailerOf(store, caller, body.retailer_id);
        await take(retailerId, body.payments, traceparent);
        return jsonResponse(200, { accepted: body.payments.length });
      },
      { isHeavy: true },
    ),
  ];
}

/** A check that the schema cannot make. @throws ApiError `bad_request` */
function refuseOtherLengths(payments: readonly Payment[]): void {
  const issues = payments.flatMap(({ identifiers, bin_digits }, i) =>
    bin_digits === undefined || bin_digits.length === identifiers.length
      ? []
      : [{ path: `/payments/${i}/bin_digits`, message: "must have one for each identifier" }],
  );
  const [first, ...others] = issues.slice(0, LIMITS.issuesPerAnswer);
  if (first !== undefined) throw malformed({ issues: [first, ...others], total: issues.length });
}

/**
 * The retailer of the payments: the owner of the caller's token; with the platform's token, the one that the
 * request names.
 */
async function retailerOf(store: Store, caller: PlatformCaller, given: string | undefined): Promise<string> {
  const id = given === undefined ? undefined : decodeId("ret", given);
  if (caller.kind === "retailer") {
    if (given === undefined || id === caller.retailerId) return caller.retailerId;
    throw new ApiError("authorization_error", "only the platform's token may bring another's payments", {
      required: "platform",
    });
  }
  if (given === undefined) {
    const message = "is needed with the platform's token";
    throw badRequest(`/retailer_id ${message}`, { path: "/retailer_id", message });
  }
  if (id === undefined || (await getRetailer(store, id)) === undefined) throw unknownRetailer();
  return id;
}

interface PaymentIntakeParts {
  readonly store: Store;
  readonly configuration: ConfigurationCache;
  readonly metrics: MatchingMetrics;
  /** Called with the outcomes of a committed database transaction. */
  readonly onOutcomes: (queued: readonly QueuedOutcomes[]) => void;
}

/**
 * Makes the function that takes a retailer's payments: it stores them, paired with stored records, and
 * commits; then the unpaired ones search once more. When it resolves, the outcomes of every pair with a
 * stored record are decided.
 *
 * Repeating it is harmless, and needed after a failure: after a crash or a lost answer the retailer sends the
 * payments again, and those that were stored and not paired are paired then.
 */
export function paymentIntake({ store, configuration, metrics, onOutcomes }: PaymentIntakeParts) {
  /**
   * @param retailerId UUID
   * @param traceparent of the request, where it is traced
   */
  return async (retailerId: string, payments: readonly Payment[], traceparent?: string): Promise<void> => {
    const { judge } = await configuration.current();
    const line = store.lineOf(retailerId);
    for (let at = 0; at < payments.length; at += LIMITS.rowsPerBatch) {
      const chunk = payments.slice(at, at + LIMITS.rowsPerBatch).map(toNewPayment);
      const stored = await metrics.timed("store_payments", () =>
        storePayments(line, retailerId, chunk, judge, traceparent),
      );
      const { created, unpaired } = stored;
      metrics.payments({ created, known: chunk.length - created });
      metrics.paired(stored.pairing);
      onOutcomes(stored.pairing.queued);
      const pairing = await metrics.timed("pair_payments", () =>
        pairHalves(line, "payments", unpaired, judge, traceparent),
      );
      metrics.paired(pairing);
      onOutcomes(pairing.queued);
    }
  };
}

function toNewPayment({
  payment_id,
  identifiers,
  bin_digits,
  amount,
  currency,
  paid_at,
}: Payment): NewPayment {
  const paidAt = microsecondsOf(toUtcMicroseconds(paid_at));
  const binDigits = bin_digits === undefined ? null : bin_digits.join("");
  return { paymentId: payment_id, identifiers, binDigits, amount, currency, paidAt };
}
