import { FLOW, type Hop } from "#contract";
import type { Arena } from "../arena.ts";
import type { Usage } from "../usage.ts";
import { createWorld, type World } from "../world.ts";
import { fillRewards, settleTransactions } from "./fill-rewards.ts";
import { Installation } from "./installation.ts";
import type { RewardsOptions } from "./options.ts";
import { type PackedMessage, publishPacked } from "./publish-packed.ts";
import { expectedCounts, rewardFaults } from "./reward-counts.ts";
import { earnedOf, mixedOf, outcomeMessages, plainOf, settlementMessages } from "./reward-messages.ts";
import { RewardPlan } from "./reward-plan.ts";
import { AckWatch, type Pace } from "./watch-acks.ts";
import { watchService } from "./watch-service.ts";

export interface Phase extends Pace {
  readonly usage: Usage;
}

export interface Engine {
  readonly outcomes: Phase;
  /** One in ten of the settled transactions has earned something. */
  readonly mixed: Phase;
  /** All of them have. */
  readonly earned: Phase;
  readonly faults: readonly string[];
}

/** How fast the reward engine works through full streams: outcomes, then settlements. */
export async function measureEngine(arena: Arena, options: RewardsOptions): Promise<Engine> {
  const { seed, outcomes, profileDir } = options;
  const plan = new RewardPlan({ seed, outcomes, shape: "even" });
  const world = createWorld(seed, plan.members);
  const installation = await Installation.open(arena.servers);
  try {
    arena.say(`engine: ${plan.members} members, ${outcomes} outcomes`);
    const { store } = installation;
    await fillRewards(store, installation.url, plan, world, plainOf(plan));
    const measured = await runThrough(installation, FLOW.outcomes, outcomeMessages(plan), profileDir);
    const settle = (settled: ReturnType<typeof mixedOf>) =>
      measureSettlements({ installation, plan, world, settled, profileDir });
    arena.say("engine: settlements, one in ten of something earned");
    const mixed = await settle(mixedOf(plan));
    arena.say("engine: settlements, all of something earned");
    const earned = await settle(earnedOf(plan, "earned"));
    arena.say("engine: verifying");
    const faults = await rewardFaults(store, expectedCounts(plan, ["mixed", "earned"]));
    return { outcomes: measured, mixed, earned, faults };
  } finally {
    await installation.close();
  }
}

/** Fills a stream, then starts the service on it, and stops it when all is acknowledged. */
export async function runThrough(
  installation: Installation,
  hop: Hop,
  messages: readonly PackedMessage[],
  profileDir?: string,
): Promise<Phase> {
  const first = await installation.nextSequence(hop);
  await publishPacked(installation.stream, hop, messages);
  await installation.settle();
  const acks = new AckWatch(installation.stream, hop);
  const service = await installation.start("rewards", profileDir);
  const phase = await watchService(service, () => acks.whenAll(messages, first));
  await installation.stopServices();
  return phase;
}

async function measureSettlements(parts: {
  readonly installation: Installation;
  readonly plan: RewardPlan;
  readonly world: World;
  readonly settled: ReturnType<typeof mixedOf>;
  readonly profileDir: string | undefined;
}): Promise<Phase> {
  const { installation, plan, world, settled, profileDir } = parts;
  await settleTransactions(installation.store, plan, world, settled);
  const messages = settlementMessages(plan, world, settled);
  return runThrough(installation, FLOW.settlement, messages, profileDir);
}
