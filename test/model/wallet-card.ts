/**
 * Second part of the model: a stamp card (contract, section 9). A card is a function of one sequence: the
 * stamps that were made, and the stamps that were voided.
 */
import type { Program } from "./facts.ts";
import type { Purchase } from "./wallet-purchases.ts";

/** A purchase that counts for the card, and the program in force for that purchase. */
export interface Stamp {
  readonly purchase: Purchase;
  readonly program: Program;
}

export type CardStep =
  | { readonly kind: "stamp"; readonly stamp: Stamp }
  | { readonly kind: "void"; readonly purchase: Purchase };

export interface Redemption {
  /** The oldest first. The last stamp's transaction is that of the redemption. */
  readonly stamps: readonly Stamp[];
}

export interface Card {
  /** Unredeemed, the oldest first: `unredeemed_purchases` is their number. */
  readonly live: readonly Stamp[];
  readonly standing: readonly Redemption[];
  readonly undone: readonly Redemption[];
  /** A standing redemption may hold some of them. */
  readonly voided: ReadonlySet<Purchase>;
  /** The stamp made last, in any state: its threshold is the card's. */
  readonly newest: Stamp | undefined;
}

export function playCard(steps: readonly CardStep[]): Card {
  /**
   * All stamps of the card in the order in which they were made, which defines "oldest" and "newest". OPEN 6.
   */
  const made: Stamp[] = [];
  const voided = new Set<Purchase>();
  const standing: Redemption[] = [];
  const undone: Redemption[] = [];
  const live = () =>
    made.filter(
      (stamp) => !voided.has(stamp.purchase) && !standing.some(({ stamps }) => stamps.includes(stamp)),
    );

  /**
   * "When it reaches the threshold in force for the purchase of the newest stamp": several redemptions may
   * follow. OPEN 7: the newest stamp is the one made last, even if it was voided or redeemed since, so a
   * reversal brings no earlier threshold back.
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

/** Compares when the transactions reached their final state, never when that was handled. */
function clearedBefore({ stamps }: Redemption, reversed: Purchase): boolean {
  const last = stamps.at(-1)?.purchase as Purchase;
  return last.state === "cleared" && (last.settledBy as number) < (reversed.settledBy as number);
}
