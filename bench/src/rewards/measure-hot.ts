import { FLOW } from "#contract";
import type { Arena } from "../arena.ts";
import { median } from "../results.ts";
import { createWorld } from "../world.ts";
import { fillRewards } from "./fill-rewards.ts";
import { Installation } from "./installation.ts";
import { runThrough } from "./measure-engine.ts";
import type { RewardsOptions } from "./options.ts";
import { expectedCounts, rewardFaults } from "./reward-counts.ts";
import { outcomeMessages } from "./reward-messages.ts";
import { RewardPlan, type Shape } from "./reward-plan.ts";

export interface Hot {
  /**
   * Seconds until the last outcome that is not the hot member's is applied, the median repetition and all of them. Every
   * message has such outcomes in it, so this is the time for all.
   */
  readonly seconds: Readonly<Record<Shape, number>>;
  readonly repetitions: Readonly<Record<Shape, readonly number[]>>;
  readonly faults: readonly string[];
}

const SHAPES: readonly Shape[] = ["even", "hot-member", "hot-program"];

/** The same number of outcomes three ways, in turn, each time on a fresh copy of the same database. */
export async function measureHot(arena: Arena, options: RewardsOptions): Promise<Hot> {
  const { servers, say } = arena;
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
  const middle = (shape: Shape) => median(seconds[shape], (value) => value);
  return {
    seconds: {
      even: middle("even"),
      "hot-member": middle("hot-member"),
      "hot-program": middle("hot-program"),
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

async function makeTemplate({ servers }: Arena, plan: RewardPlan): Promise<Template> {
  const installation = await Installation.open(servers);
  const world = createWorld(plan.spec.seed, plan.members);
  await fillRewards(installation.store, installation.url, plan, world, 0);
  await installation.settle();
  const { database } = installation;
  await installation.detach();
  return { plan, messages: outcomeMessages(plan), database };
}
