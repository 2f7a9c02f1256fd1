import { LIMITS, type Payment } from "#contract";
import { microsecondsOf, toUtcMicroseconds } from "#domain";
import type { Store } from "#postgres";
import type { ConfigurationCache } from "./configuration-cache.ts";
import { pairHalves } from "./halves/pair-halves.ts";
import { type NewPayment, storePayments } from "./halves/store-payments.ts";
import type { MatchingMetrics } from "./matching-metrics.ts";

export interface PaymentIntakeParts {
  readonly store: Store;
  readonly configuration: ConfigurationCache;
  readonly metrics: MatchingMetrics;
  /** Outcomes were queued. */
  readonly onOutcomes: () => void;
}

/**
 * Stores a retailer's payments and commits, then looks for the records that were there before. A crash in between, or an
 * answer that gets lost, is healed by the retailer, who sends them again.
 * @param retailerId UUID
 * @param traceparent of the request, where it is traced
 */
export async function takePayments(
  { store, configuration, metrics, onOutcomes }: PaymentIntakeParts,
  retailerId: string,
  payments: readonly Payment[],
  traceparent: string | undefined,
): Promise<void> {
  const { judge } = await configuration.current();
  for (let at = 0; at < payments.length; at += LIMITS.rowsPerBatch) {
    const chunk = payments.slice(at, at + LIMITS.rowsPerBatch).map(toNewPayment);
    const { ids, created } = await metrics.timed("store_payments", () =>
      storePayments(store, retailerId, chunk),
    );
    metrics.payments({ created, known: chunk.length - created });
    const pairing = await metrics.timed("pair_payments", () =>
      pairHalves(store, "payments", ids, judge, traceparent),
    );
    metrics.paired(pairing);
    onOutcomes();
  }
}

function toNewPayment({ payment_id, identifiers, amount, currency, paid_at }: Payment): NewPayment {
  const paidAt = microsecondsOf(toUtcMicroseconds(paid_at));
  return { paymentId: payment_id, identifiers, amount, currency, paidAt };
}
