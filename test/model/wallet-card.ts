/**
 * Second part of the model: a stamp card (contract, section 9). What happens on it is a sequence of stamps that are made
 * and of stamps that are voided; what it comes to is nothing but a function of that.
 */
import type { Program } from "./facts.ts";
import type { Purchase } from "./wallet-purchases.ts";

/** A purchase that counts for the card, under the program as it was for that purchase. */
export interface Stamp {
  readonly purchase: Purchase;
  readonly program: Program;
}

export type CardStep =
  | { readonly kind: "stamp"; readonly stamp: Stamp }
  | { readonly kind: "void"; readonly purchase: Purchase };

export interface Redemption {
  /** The oldest first. The transaction of the redemption is that of the last. */
  readonly stamps: readonly Stamp[];
}

export interface Card {
  /** Unredeemed, the oldest first: `unredeemed_purchases` is how many. */
  readonly live: readonly Stamp[];
  readonly standing: readonly Redemption[];
  readonly undone: readonly Redemption[];
  /** Some of them may be held by a standing redemption. */
  readonly voided: ReadonlySet<Purchase>;
  /** The one made last, in any state: its threshold is the card's. */
  readonly newest: Stamp | undefined;
}

export function playCard(steps: readonly CardStep[]): Card {
  /** Every stamp of the card in the order in which they were made: "oldest" and "newest" are asked of it. OPEN 6. */
  const made: Stamp[] = [];
  const voided = new Set<Purchase>();
  const standing: Redemption[] = [];
  const undone: Redemption[] = [];
  const live = () =>
    made.filter(
      (stamp) => !voided.has(stamp.purchase) && !standing.some(({ stamps }) => stamps.includes(stamp)),
    );

  /**
   * "When it reaches the threshold in force for the purchase of the newest stamp": several may follow. OPEN 7: of the stamp that was
   * made last, voided or redeemed since or not, so that a reversal brings no earlier threshold back.
   */
  const judge = () => {
    for (;;) {
      const counted = live();
      const threshold = made.at(-1)?.program.qualifying_threshold ?? Number.POSITIVE_INFINITY;
      if (counted.length < threshold) return;
      standing.push({ stamps: counted.slice(0, threshold) });
    }
  };

  for (const step of steps) {
    if (step.kind === "stamp") {
      made.push(step.stamp);
      judge();
      continue;
    }
    voided.add(step.purchase);
    const at = standing.findIndex(({ stamps }) => stamps.some(({ purchase }) => purchase === step.purchase));
    const held = standing[at];
    if (held === undefined || clearedBefore(held, step.purchase)) continue;
    standing.splice(at, 1);
    undone.push(held);
    judge();
  }
  return { live: live(), standing, undone, voided, newest: made.at(-1) };
}

/** By the order in which the transactions reached their final state, never by when that is handled. */
function clearedBefore({ stamps }: Redemption, reversed: Purchase): boolean {
  const last = stamps.at(-1)?.purchase as Purchase;
  return last.state === "cleared" && (last.settledBy as number) < (reversed.settledBy as number);
}
