import { setTimeout as delay } from "node:timers/promises";
import type { Setting } from "../kit/benchmark.ts";
import { middle } from "../kit/timeline.ts";
import type { Usage } from "../kit/usage.ts";
import type { WebhooksOptions } from "./options.ts";
import { monotonicMs } from "./receiver.ts";
import { makeBenchEvent, WebhookScene } from "./webhook-scene.ts";

export interface Many {
  readonly webhooks: number;
  /** Deliveries of one event a second, to all of them. */
  readonly perSecond: number;
  /** The number of deliveries that `usage` covers. */
  readonly deliveries: number;
  readonly usage: Usage;
  /** The same for those that never hang, alone and while the others hang: medians, and all of them. */
  readonly hanging: {
    readonly webhooks: number;
    readonly without: number;
    readonly beside: number;
    readonly repetitions: { readonly without: readonly number[]; readonly beside: readonly number[] };
  };
  readonly faults: readonly string[];
}

/**
 * Many webhooks with an event each; then some of them, alone and together with others whose targets never
 * answer.
 */
export async function measureMany({ servers, options, say }: Setting<WebhooksOptions>): Promise<Many> {
  const { webhooks, hanging, repetitions } = options;
  say(`many: making ${webhooks} webhooks`);
  const scene = await WebhookScene.open(servers, webhooks);
  try {
    await scene.installation.settle();
    const service = await scene.start();
    const feed = new Feed(scene);
    say("many: all of them");
    // A warm-up: the measurement is of a warm service, and of the CPU time for the deliveries counted in it.
    await feed.run(webhooks, { warmUpSeconds: 0, seconds: options.warmUpSeconds });
    const before = feed.given;
    const all = await scene.watch(service, async () => {
      const perSecond = await feed.run(webhooks, options);
      return { perSecond, deliveries: feed.given - before };
    });
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

/**
 * Gives each of some webhooks an event, and the next one when that has arrived, so that every delivery has
 * one event and every webhook always has something to do. All due events are written together, like the
 * reward engine's.
 */
class Feed {
  /** The number of events given to each webhook so far. */
  readonly sent: number[];
  readonly #scene: WebhookScene;
  readonly #arrived: number[];
  #open = 0;
  #due: number[] = [];
  #wake = (): void => {};
  #arrivals: number[] = [];

  constructor(scene: WebhookScene) {
    this.#scene = scene;
    this.sent = scene.organisations.map(() => 0);
    this.#arrived = scene.organisations.map(() => 0);
    scene.receiver.listen((arrivals) => {
      for (const { webhook, events, atMs } of arrivals) {
        this.#arrived[webhook] = (this.#arrived[webhook] as number) + events;
        if (webhook >= this.#open || events === 0) continue;
        this.#arrivals.push(atMs);
        this.#due.push(webhook);
      }
      this.#wake();
    });
  }

  /** The number of events given to all of them so far. */
  get given(): number {
    return this.sent.reduce((sum, events) => sum + events, 0);
  }

  /**
   * Runs webhooks 0 to `webhooks - 1` for a while.
   * @returns deliveries a second
   */
  async run(webhooks: number, times: { warmUpSeconds: number; seconds: number }): Promise<number> {
    this.#open = webhooks;
    this.#arrivals = [];
    this.#due = Array.from({ length: webhooks }, (_, webhook) => webhook);
    const startMs = monotonicMs() + times.warmUpSeconds * 1000;
    const endMs = startMs + times.seconds * 1000;
    while (monotonicMs() < endMs) {
      if (this.#due.length === 0) await this.#news(endMs);
      else await this.give(this.#due.splice(0));
    }
    this.#open = 0;
    const measured = this.#arrivals.filter((atMs) => atMs >= startMs && atMs < endMs).length;
    await this.whenArrived();
    return measured / times.seconds;
  }

  /** One event for each of these. */
  async give(webhooks: readonly number[]): Promise<void> {
    const events = webhooks.map((webhook) => {
      const number = (this.sent[webhook] as number) + 1;
      this.sent[webhook] = number;
      return makeBenchEvent(this.#scene.organisations[webhook] as string, number);
    });
    await this.#scene.write(events);
  }

  /** Until every given event has arrived. */
  async whenArrived(): Promise<void> {
    while (this.sent.some((events, webhook) => events > (this.#arrived[webhook] as number))) {
      await this.#news(Number.POSITIVE_INFINITY);
    }
  }

  /** Until something arrives, or `endMs`. */
  async #news(endMs: number): Promise<void> {
    const news = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (!Number.isFinite(endMs)) return news;
    const waiting = new AbortController();
    const end = delay(Math.max(0, endMs - monotonicMs()), undefined, waiting).catch(() => {});
    await Promise.race([news, end]);
    waiting.abort();
  }
}
