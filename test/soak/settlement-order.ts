import type { RewardEvent } from "../faults/reward-audit.ts";
import type { Span } from "./book.ts";
import type { State } from "./lifecycle.ts";

/** What the integrator knows of one purchase. */
export interface KnownPurchase {
  readonly fate: State;
  /** When it was cleared or reverted. */
  readonly settled: Span | undefined;
  /** Before this it cannot have had a stamp. */
  readonly earliestStamp: number;
}

interface Redemption {
  /** The transaction of its cashback. */
  readonly ref: string;
  readonly stamps: readonly string[];
  isUndone: boolean;
}

/**
 * Which redemptions stand (contract, section 9): one whose stamp was reverted before its cashback's transaction cleared is
 * undone, one whose transaction cleared before that stands, in whatever order rewards came to hear of it. Only what was
 * certainly before, by requests and answers, is judged.
 * @param events of one stamp collection, in their order
 */
export function settlementFaults(
  events: readonly RewardEvent[],
  threshold: number,
  purchases: ReadonlyMap<string, KnownPurchase>,
): string[] {
  const faults: string[] = [];
  for (const [id, redemption] of redemptionsOf(events, threshold)) {
    const { ref, stamps, isUndone } = redemption;
    const own = purchases.get(ref);
    if (own === undefined) continue;
    const reverted = stamps.filter((stamp) => purchases.get(stamp)?.fate === "reverted");
    const spanOf = (stamp: string) => purchases.get(stamp)?.settled as Span;
    if (isUndone) {
      const cleared = own.fate === "cleared" ? (own.settled as Span) : undefined;
      const mayUndo = reverted.some((stamp) => cleared === undefined || !isBefore(cleared, spanOf(stamp)));
      if (!mayUndo) {
        faults.push(`${id} is undone: ${ref} had cleared before ${reverted.join(", ") || "nothing"} was reverted`);
      }
      continue;
    }
    for (const stamp of reverted) {
      const span = spanOf(stamp);
      if (own.fate === "cleared" && isBefore(span, own.settled as Span)) {
        faults.push(`${id} stands: ${stamp} had been reverted before ${ref} was cleared`);
      }
      if (span.until < own.earliestStamp) {
        faults.push(`${id} stands: ${stamp} had been reverted before ${ref} could have a stamp`);
      }
    }
  }
  return faults;
}

function isBefore(one: Span, other: Span): boolean {
  return one.until < other.from;
}

function redemptionsOf(events: readonly RewardEvent[], threshold: number): Map<string, Redemption> {
  const redemptions = new Map<string, Redemption>();
  /** In the order in which they were made. */
  const order: string[] = [];
  let free = new Set<string>();
  for (const event of events) {
    const { type, transaction_ref: ref } = event;
    switch (type) {
      case "qualifying_purchase.created":
        order.push(ref);
        free.add(ref);
        break;
      case "qualifying_purchase.voided":
        free.delete(ref);
        break;
      case "qualifying_purchase.unredeemed":
        free.add(ref);
        // As they were made, not as they came back.
        free = new Set(order.filter((one) => free.has(one)));
        break;
      case "cashback.created": {
        const stamps = [...free].slice(0, threshold);
        for (const stamp of stamps) free.delete(stamp);
        redemptions.set(idOf(event), { ref, stamps, isUndone: false });
        break;
      }
      case "cashback.reverted": {
        const redemption = redemptions.get(idOf(event));
        if (redemption !== undefined) redemption.isUndone = true;
      }
    }
  }
  return redemptions;
}

function idOf(event: RewardEvent): string {
  return "source" in event && event.source.type !== "clip" ? event.source.redemption_id : "";
}
