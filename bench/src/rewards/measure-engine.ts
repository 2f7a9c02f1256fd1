import { FLOW, type Hop } from "#contract";
import { createWorld } from "../ingest/world.ts";
import { Installation } from "../kit/installation.ts";
import { middle } from "../kit/timeline.ts";
import { type Usage, watchService } from "../kit/usage.ts";
import { fillRewards, settleTransactions } from "./fill-rewards.ts";
import type { RewardsArena } from "./options.ts";
import { expectedCounts, rewardFaults } from "./reward-counts.ts";
import {
  earnedOf,
  mixedOf,
  outcomeMessages,
  plainOf,
  RewardPlan,
  SHAPES,
  type Shape,
  settlementMessages,
} from "./reward-plan.ts";
import { type Pace, type PackedMessage, publishPacked, whenDone } from "./stream-messages.ts";

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

/** The rate of the reward engine for full streams: outcomes, then settlements. */
export async function measureEngine(arena: RewardsArena): Promise<Engine> {
  const { seed, outcomes } = arena.options;
  const plan = new RewardPlan({ seed, outcomes, shape: "even" });
  const world = createWorld(seed, plan.members);
  const installation = await Installation.open(arena.servers);
  try {
    arena.say(`engine: ${plan.members} members, ${outcomes} outcomes`);
    const { store } = installation;
    await fillRewards(store, installation.url, plan, world, plainOf(plan));
    const measured = await runThrough(installation, FLOW.outcomes, outcomeMessages(plan));
    const settle = async (settled: ReturnType<typeof mixedOf>): Promise<Phase> => {
      await settleTransactions(store, plan, world, settled);
      return runThrough(installation, FLOW.settlement, settlementMessages(plan, world, settled));
    };
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

/** Fills the streams of a hop, then starts the service on them, and stops it once everything is done. */
async function runThrough(
  installation: Installation,
  hop: Hop,
  messages: readonly PackedMessage[],
): Promise<Phase> {
  await publishPacked(installation.stream, hop, messages);
  await installation.settle();
  const service = await installation.start("rewards");
  const phase = await watchService(service, () => whenDone(service, hop, messages));
  await installation.stopServices();
  return phase;
}

export interface Hot {
  /**
   * Seconds until the last outcome of any other member than the hot one is applied, the median repetition and
   * all of them. Every message has such outcomes in it, so this is the time for all.
   */
  readonly seconds: Readonly<Record<Shape, number>>;
  readonly repetitions: Readonly<Record<Shape, readonly number[]>>;
  readonly faults: readonly string[];
}

/** The same number of outcomes three ways, in turn, each time on a fresh copy of the same database. */
export async function measureHot(arena: RewardsArena): Promise<Hot> {
  const { servers, say, options } = arena;
  const { seed, hotOutcomes: outcomes, repetitions } = options;
  const templates = new Map<Shape, Template>();
  for (const shape of SHAPES) {
    say(`hot: making the database ${shape}`);
    templates.set(shape, await makeTemplate(arena, new RewardPlan({ seed, outcomes, shape })));
  }
  const seconds: Record<Shape, number[]> = { even: [], "hot-member": [], "hot-program": [] };
  const faults: string[] = [];
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    for (const [shape, { plan, messages, database }] of templates) {
      say(`hot: ${repetition} of ${repetitions}, ${shape}`);
      const installation = await Installation.open(servers, database);
      try {
        const phase = await runThrough(installation, FLOW.outcomes, messages);
        seconds[shape].push(phase.seconds);
        const found = await rewardFaults(installation.store, expectedCounts(plan, []));
        faults.push(...found.map((fault) => `${shape}: ${fault}`));
      } finally {
        await installation.close();
      }
    }
  }
  for (const { database } of templates.values())
    await servers.execute("stampede", `drop database ${database}`);
  return {
    seconds: {
      even: middle(seconds.even),
      "hot-member": middle(seconds["hot-member"]),
      "hot-program": middle(seconds["hot-program"]),
    },
    repetitions: seconds,
    faults,
  };
}

interface Template {
  readonly plan: RewardPlan;
  readonly messages: ReturnType<typeof outcomeMessages>;
  readonly database: string;
}

async function makeTemplate({ servers }: RewardsArena, plan: RewardPlan): Promise<Template> {
  const installation = await Installation.open(servers);
  const world = createWorld(plan.spec.seed, plan.members);
  await fillRewards(installation.store, installation.url, plan, world, 0);
  await installation.settle();
  const { database } = installation;
  await installation.detach();
  return { plan, messages: outcomeMessages(plan), database };
}
