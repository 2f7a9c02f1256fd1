import type { RewardEvent } from "#test-support";
import type { Span } from "./book.ts";
import type { State } from "./lifecycle.ts";

/** The integrator's knowledge of one purchase. */
export interface KnownPurchase {
  readonly fate: State;
  /** When it was cleared or reverted. */
  readonly settled: Span | undefined;
  /** It cannot have had a stamp before this time. */
  readonly earliestStamp: number;
}

interface Redemption {
  /** The transaction of its cashback. */
  readonly ref: string;
  readonly stamps: readonly string[];
  isUndone: boolean;
}

/**
 * Which redemptions stand (contract, section 9): if a stamp was reverted before the transaction of the
 * cashback cleared, the redemption is undone; if that transaction cleared first, it stands; in any order in
 * which rewards got the messages. Judges only pairs whose order is certain, by requests and answers.
 * @param events of one stamp collection, in their order
 */
export function settlementFaults(
  events: readonly RewardEvent[],
  threshold: number,
  purchases: ReadonlyMap<string, KnownPurchase>,
): string[] {
  return [...redemptionsOf(events, threshold)].flatMap(([id, redemption]) => {
    const own = purchases.get(redemption.ref);
    if (own === undefined) return [];
    const reverted = redemption.stamps.flatMap((ref) => {
      const purchase = purchases.get(ref);
      return purchase?.fate === "reverted" ? [{ ref, span: purchase.settled as Span }] : [];
    });
    const faults = redemption.isUndone ? undoneFaults(own, reverted) : standingFaults(own, reverted);
    return faults.map((fault) => `${id} of ${redemption.ref} ${fault}`);
  });
}

interface Reversal {
  readonly ref: string;
  readonly span: Span;
}

function undoneFaults({ fate, settled }: KnownPurchase, reverted: readonly Reversal[]): string[] {
  const cleared = fate === "cleared" ? settled : undefined;
  if (reverted.some(({ span }) => cleared === undefined || !isBefore(cleared, span))) return [];
  const late = reverted.map(({ ref }) => ref).join(", ");
  return [`is undone: it had cleared before ${late || "nothing"} was reverted`];
}

function standingFaults({ fate, settled, earliestStamp }: KnownPurchase, reverted: readonly Reversal[]) {
  return reverted.flatMap(({ ref, span }) => {
    if (fate === "cleared" && settled !== undefined && isBefore(span, settled)) {
      return [`stands: ${ref} had been reverted before it was cleared`];
    }
    return span.until < earliestStamp
      ? [`stands: ${ref} had been reverted before it could have a stamp`]
      : [];
  });
}

function isBefore(one: Span, other: Span): boolean {
  return one.until < other.from;
}

function redemptionsOf(events: readonly RewardEvent[], threshold: number): Map<string, Redemption> {
  const redemptions = new Map<string, Redemption>();
  /** Stamps in the order in which they were made. */
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
        // In the order of their making, not of their return.
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
