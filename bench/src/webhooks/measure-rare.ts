import type { Setting } from "../kit/benchmark.ts";
import type { Servers } from "../kit/servers.ts";
import type { Usage } from "../kit/usage.ts";
import { Drain, fillBacklog } from "./measure-backlog.ts";
import type { WebhooksOptions } from "./options.ts";
import { makeBenchEvent, RARE_TYPE, WebhookScene } from "./webhook-scene.ts";

export interface Rare {
  readonly webhooks: number;
  readonly events: number;
  readonly without: RareRun;
  readonly beside: RareRun;
  /** The cost of each for the service and for the backends that work for it. */
  readonly microsecondsEach: number;
  readonly faults: readonly string[];
}

interface RareRun {
  readonly usage: Usage;
  readonly cpuSeconds: number;
  readonly faults: readonly string[];
}

/**
 * One webhook and its backlog, first alone and then together with many webhooks of its organisation that want
 * one event of it, the last: the cost of each of these should not depend on the number of events before that
 * one.
 */
export async function measureRare({ servers, options, say }: Setting<WebhooksOptions>): Promise<Rare> {
  const { rareWebhooks: webhooks, rareEvents: events } = options;
  say(`rare: ${events} events for one webhook`);
  const without = await run(servers, events, 0);
  say(`rare: the same beside ${webhooks} webhooks that want one event`);
  const beside = await run(servers, events, webhooks);
  const microsecondsEach = ((beside.cpuSeconds - without.cpuSeconds) * 1e6) / webhooks;
  const faults = [...without.faults, ...beside.faults];
  return { webhooks, events, without, beside, microsecondsEach, faults };
}

async function run(servers: Servers, events: number, rare: number): Promise<RareRun> {
  const scene = await WebhookScene.open(servers, 1, rare);
  const { installation, organisations } = scene;
  const [organisation = ""] = organisations;
  try {
    await fillBacklog(installation.store, organisation, events);
    await scene.write([makeBenchEvent(organisation, 1, RARE_TYPE)]);
    await installation.settle();
    const drain = new Drain(scene, events + rare);
    const service = await scene.start();
    const { usage } = await scene.watch(
      service,
      () => drain.done,
      () => events + rare - drain.arrived,
    );
    const own = usage.processes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    const faults = await scene.faults([events, ...new Array<number>(rare).fill(1)]);
    return { usage, cpuSeconds: own + (usage.databaseCpuSeconds ?? 0), faults };
  } finally {
    await scene.close();
  }
}
