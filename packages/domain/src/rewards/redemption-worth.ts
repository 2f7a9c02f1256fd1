import type { Program, PurchaseOutcome, Reward, Stamp } from "./reward-state.ts";
import type { Worth } from "./reward-step.ts";

/**
 * What a stamp keeps of its outcome: the reward, and the currency of it that is not the transaction's. An outcome without rules
 * is given those of the stored program, for good: what is changed later does not reach back.
 */
export function rewardSaid(
  program: Program | null,
  { reward, currency }: PurchaseOutcome,
): Pick<Stamp, "reward" | "currency"> {
  if (reward !== null || program === null) return { reward, currency };
  const [first, second] =
    program.reward.type === "refund" ? [currency, program.currency] : [program.currency, currency];
  return { reward: program.reward, currency: first ?? second };
}

/** What a redemption earns by its newest stamp; undefined where nobody knows: the program was removed. */
export function rewardOf(program: Program | null, newest: Stamp): Reward | undefined {
  return newest.reward ?? program?.reward;
}

/**
 * What a redemption is worth, by its newest stamp (contract, section 9); undefined as long as amount or currency is unknown.
 * Throws for a type that it does not know: it must not be paid as if it were another.
 */
export function worthOf(program: Program | null, newest: Stamp): Worth | undefined {
  const reward = rewardOf(program, newest);
  if (reward === undefined) return undefined;
  const { transaction, purchaseAmount } = newest;
  // A stamp that keeps its reward keeps the currency of the rules, too.
  const ofRules = newest.reward === null ? (program?.currency ?? null) : null;
  switch (reward.type) {
    case "fixed-reward":
      return worth(reward.amount, ofRules ?? newest.currency ?? transaction.currency);
    case "refund":
      return purchaseAmount === null
        ? worth(transaction.amount, transaction.currency ?? newest.currency ?? ofRules)
        : worth(purchaseAmount, newest.currency ?? ofRules ?? transaction.currency);
    default: {
      const unknown: never = reward;
      throw new RangeError(`no such reward: ${JSON.stringify(unknown)}`);
    }
  }
}

/** Whether the worth is the transaction's own amount, which settles with it. */
export function isSettledAmount(program: Program | null, newest: Stamp): boolean {
  return rewardOf(program, newest)?.type === "refund" && newest.purchaseAmount === null;
}

function worth(amount: number | null, currency: string | null): Worth | undefined {
  return amount === null || currency === null ? undefined : { amount, currency };
}
