import { median } from "../results.ts";
import { watchService } from "../rewards/watch-service.ts";
import type { Servers } from "../servers.ts";
import type { Usage } from "../usage.ts";
import { Feed } from "./feed.ts";
import type { WebhooksOptions } from "./options.ts";
import { WebhookScene } from "./webhook-scene.ts";

export interface Many {
  readonly webhooks: number;
  /** Deliveries of one event a second, to all of them. */
  readonly perSecond: number;
  readonly usage: Usage;
  /** The same of those that never hang, alone and while the others hang: medians, and all of them. */
  readonly hanging: {
    readonly webhooks: number;
    readonly without: number;
    readonly beside: number;
    readonly repetitions: { readonly without: readonly number[]; readonly beside: readonly number[] };
  };
  readonly faults: readonly string[];
}

/** Many webhooks with an event each; then some of them, alone and beside others whose targets never answer. */
export async function measureMany(
  servers: Servers,
  options: WebhooksOptions,
  say: (text: string) => void,
): Promise<Many> {
  const { webhooks, hanging, repetitions, profileDir } = options;
  say(`many: making ${webhooks} webhooks`);
  const scene = await WebhookScene.open(servers, webhooks);
  try {
    await scene.installation.settle();
    const service = await scene.start(profileDir);
    const feed = new Feed(scene);
    say("many: all of them");
    const all = await watchService(service, async () => ({ perSecond: await feed.run(webhooks, options) }));
    const healthy = webhooks - hanging;
    const without: number[] = [];
    const beside: number[] = [];
    for (let repetition = 1; repetition <= repetitions; repetition++) {
      say(`many: ${repetition} of ${repetitions}, ${healthy} alone, then beside ${hanging} that hang`);
      without.push(await feed.run(healthy, options));
      beside.push(await besideHanging(scene, feed, options));
    }
    say("many: verifying");
    const faults = await scene.faults(feed.sent);
    const middle = (values: readonly number[]) => median(values, (value) => value);
    const medians = { without: middle(without), beside: middle(beside) };
    return {
      webhooks,
      ...all,
      hanging: { webhooks: hanging, ...medians, repetitions: { without, beside } },
      faults,
    };
  } finally {
    await scene.close();
  }
}

/** The last ones hang, each with a delivery that is not answered, from before the run until after it. */
async function besideHanging(
  scene: WebhookScene,
  feed: Feed,
  { webhooks, hanging, ...times }: WebhooksOptions,
): Promise<number> {
  const first = webhooks - hanging;
  scene.receiver.hang(first);
  await feed.give(Array.from({ length: hanging }, (_, i) => first + i));
  await feed.whenArrived();
  const perSecond = await feed.run(first, times);
  scene.receiver.hang(null);
  return perSecond;
}
