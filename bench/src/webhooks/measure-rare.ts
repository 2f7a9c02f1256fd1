import { setTimeout as delay } from "node:timers/promises";
import { BackendWatch } from "../kit/backend-watch.ts";
import type { Setting } from "../kit/benchmark.ts";
import type { Servers } from "../kit/servers.ts";
import { type Usage, watchUsage } from "../kit/usage.ts";
import { Drain } from "./measure-backlog.ts";
import type { WebhooksOptions } from "./options.ts";
import { makeBenchEvent, RARE_TYPE, WebhookScene } from "./webhook-scene.ts";

export interface Rare {
  readonly webhooks: number;
  readonly events: number;
  readonly without: RareRun;
  readonly beside: RareRun;
  readonly faults: readonly string[];
}

interface RareRun {
  readonly usage: Usage;
  /** Of the service and of the backends that work for it, while the frequent events were written and delivered. */
  readonly cpuSeconds: number;
  readonly faults: readonly string[];
}

/** As the reward engine commits them; so the horizon moves in many steps. */
const EVENTS_PER_COMMIT = 100;
/** What is written and has not arrived: enough for full deliveries, and not a backlog. */
const EVENTS_AHEAD = 4_000;

/**
 * One webhook that gets everything while it is written, first alone and then beside many webhooks of its organisation that
 * want a type which does not occur: what these cost while they get nothing. In the end each of them gets one event.
 */
export async function measureRare({ servers, options, say }: Setting<WebhooksOptions>): Promise<Rare> {
  const { rareWebhooks: webhooks, rareEvents: events } = options;
  say(`rare: ${events} events for one webhook`);
  const without = await run(servers, events, 0);
  say(`rare: the same beside ${webhooks} webhooks that want none of them`);
  const beside = await run(servers, events, webhooks);
  return { webhooks, events, without, beside, faults: [...without.faults, ...beside.faults] };
}

async function run(servers: Servers, events: number, rare: number): Promise<RareRun> {
  const scene = await WebhookScene.open(servers, 1, rare);
  const { installation, organisations } = scene;
  const backends = await BackendWatch.open(servers, installation.database);
  try {
    await installation.settle();
    const service = await scene.start();
    const drain = new Drain(scene, events);
    const watched = {
      processes: [service],
      queueDepth: async () => events - drain.arrived,
      databaseCpuSeconds: async () => (await backends.read())["cpu.webhooks database"] ?? 0,
    };
    const { usage } = await watchUsage(watched, () => feed(scene, events, drain));
    const arrived = new Drain(scene, rare);
    await scene.write([makeBenchEvent(organisations[0] as string, 1, RARE_TYPE)]);
    if (rare > 0) await arrived.done;
    const faults = await scene.faults([events, ...new Array<number>(rare).fill(1)]);
    const own = usage.processes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    return { usage, cpuSeconds: own + (usage.databaseCpuSeconds ?? 0), faults };
  } finally {
    await backends.close();
    await scene.close();
  }
}

async function feed(scene: WebhookScene, events: number, drain: Drain): Promise<object> {
  const [organisation = ""] = scene.organisations;
  for (let written = 0; written < events; ) {
    const next = Math.min(EVENTS_PER_COMMIT, events - written);
    const first = written + 1;
    await scene.write(Array.from({ length: next }, (_, i) => makeBenchEvent(organisation, first + i)));
    written += next;
    while (written - drain.arrived > EVENTS_AHEAD) await delay(1);
  }
  return drain.done;
}
