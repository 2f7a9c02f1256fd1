import type { Program, PurchaseOutcome, Reward, Stamp } from "./reward-state.ts";
import type { Worth } from "./reward-step.ts";

/**
 * The reward that a stamp keeps from its outcome, and its currency if that is not the transaction's. An
 * outcome without rules gets those of the stored program, for good: later changes of the program do not apply
 * to it.
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

/** The reward of a redemption, by its newest stamp; undefined: it is unknown, because the program was removed. */
export function rewardOf(program: Program | null, newest: Stamp): Reward | undefined {
  return newest.reward ?? program?.reward;
}

/**
 * The worth of a redemption, by its newest stamp (contract, section 9); undefined while amount or currency is unknown. Throws for an
 * unknown type of reward, which must not be paid as another.
 */
export function worthOf(program: Program | null, newest: Stamp): Worth | undefined {
  const reward = rewardOf(program, newest);
  if (reward === undefined) return undefined;
  const { transaction, purchaseAmount } = newest;
  // A stamp that keeps its reward also keeps the currency of the rules.
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

/** Whether the worth is the amount of the transaction, which may change when it settles. */
export function isSettledAmount(program: Program | null, newest: Stamp): boolean {
  const reward = rewardOf(program, newest);
  switch (reward?.type) {
    case "refund":
      return newest.purchaseAmount === null;
    case "fixed-reward":
    case undefined:
      return false;
    default:
      reward satisfies never;
      return false;
  }
}

function worth(amount: number | null, currency: string | null): Worth | undefined {
  return amount === null || currency === null ? undefined : { amount, currency };
}
