import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "#domain";
import type { Setting } from "../kit/benchmark.ts";
import { type Percentiles, percentiles } from "../kit/timeline.ts";
import type { WebhooksOptions } from "./options.ts";
import { makeBenchEvent, WebhookScene } from "./webhook-scene.ts";

export interface Latency extends Percentiles {
  readonly samples: number;
  readonly faults: readonly string[];
}

/** The first ones pay for code that is not compiled and connections that are not made. */
const WARM_UP = 20;
/** So that no event falls into step with a timer of the service. */
const PAUSE_MS = 40;

/** One webhook, nothing else to do: the time from an event's commit to its last byte's arrival. */
export async function measureLatency({ servers, options, say }: Setting<WebhooksOptions>): Promise<Latency> {
  const { samples } = options;
  const scene = await WebhookScene.open(servers, 1);
  try {
    await scene.installation.settle();
    await scene.start();
    say(`latency: ${samples} events, one after the other`);
    const random = new SeededRandom(1);
    const values: number[] = [];
    for (let number = 1; number <= WARM_UP + samples; number++) {
      const spent = await deliverOne(scene, number);
      if (number > WARM_UP) values.push(spent);
      await delay(random.between(0, PAUSE_MS));
    }
    const faults = await scene.faults([WARM_UP + samples]);
    return { samples, ...percentiles(Float64Array.from(values)), faults };
  } finally {
    await scene.close();
  }
}

/** @returns milliseconds; 0 where it came before the writer heard of its own commit */
async function deliverOne(scene: WebhookScene, number: number): Promise<number> {
  const arrived = new Promise<number>((resolve) => {
    scene.receiver.listen(([arrival]) => {
      if (arrival !== undefined) resolve(arrival.atMs);
    });
  });
  const committedMs = await scene.write([makeBenchEvent(scene.organisations[0] as string, number)]);
  return Math.max(0, (await arrived) - committedMs);
}
