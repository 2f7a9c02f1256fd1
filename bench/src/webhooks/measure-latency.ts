import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "#domain";
import type { Setting } from "../kit/benchmark.ts";
import { type Percentiles, percentiles } from "../kit/timeline.ts";
import type { Usage } from "../kit/usage.ts";
import type { WebhooksOptions } from "./options.ts";
import { makeBenchEvent, WebhookScene } from "./webhook-scene.ts";

export interface Latency extends Percentiles {
  readonly samples: number;
  /** Of these, with the pauses between them. */
  readonly usage: Usage;
  readonly faults: readonly string[];
}

/** The first ones include compilation and new connections. */
const WARM_UP = 20;
/** Irregular, so that no event falls into step with a timer of the service. */
const PAUSE_MS = 40;

/** One webhook, nothing else to do: the time from an event's commit to its last byte's arrival. */
export async function measureLatency({ servers, options, say }: Setting<WebhooksOptions>): Promise<Latency> {
  const { samples } = options;
  const scene = await WebhookScene.open(servers, 1);
  try {
    await scene.installation.settle();
    const service = await scene.start();
    say(`latency: ${samples} events, one after the other`);
    const random = new SeededRandom(1);
    const deliver = async (first: number, last: number): Promise<number[]> => {
      const values: number[] = [];
      for (let number = first; number <= last; number++) {
        values.push(await deliverOne(scene, number));
        await delay(random.between(0, PAUSE_MS));
      }
      return values;
    };
    await deliver(1, WARM_UP);
    const { values, usage } = await scene.watch(service, async () => ({
      values: await deliver(WARM_UP + 1, WARM_UP + samples),
    }));
    const faults = await scene.faults([WARM_UP + samples]);
    return { samples, usage, ...percentiles(Float64Array.from(values)), faults };
  } finally {
    await scene.close();
  }
}

/** @returns milliseconds; 0 if it came before the writer learned of its own commit */
async function deliverOne(scene: WebhookScene, number: number): Promise<number> {
  const arrived = new Promise<number>((resolve) => {
    scene.receiver.listen(([arrival]) => {
      if (arrival !== undefined) resolve(arrival.atMs);
    });
  });
  const committedMs = await scene.write([makeBenchEvent(scene.organisations[0] as string, number)]);
  return Math.max(0, (await arrived) - committedMs);
}
