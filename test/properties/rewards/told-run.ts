import type { ProgramTerms } from "#test-support";
import type { Money, Terms } from "./history.ts";
import { RewardRun, type Slot } from "./reward-run.ts";

/**
 * A run whose test plays the platform: it publishes programs and outcomes itself, in any order, however odd.
 */
export class ToldRun extends RewardRun {
  protected program(terms: Terms | null, id?: string): Promise<string> {
    return this.round.link.configure(terms && toProgram(terms), id);
  }

  protected deal(): Promise<string> {
    return this.round.link.offer();
  }

  protected async count(ref: string, slot: Slot, money: Money): Promise<void> {
    if (!this.diary.has(ref)) await this.enter(ref, { state: "authorized", amount: null, currency: null });
    if (await this.obtain(slot)) this.tell(ref, slot.configId, this.diary.sends(slot.configId, ref, money));
  }
}

function toProgram({ threshold, fixed, currency }: Terms): ProgramTerms {
  return {
    qualifying_threshold: threshold,
    reward_config: fixed === null ? { type: "refund" } : { type: "fixed-reward", amount: fixed },
    ...(currency !== null && { currency }),
  };
}
