import { watchService } from "../rewards/watch-service.ts";
import type { Servers } from "../servers.ts";
import type { Usage } from "../usage.ts";
import { fillBacklog } from "./fill-backlog.ts";
import type { WebhooksOptions } from "./options.ts";
import { type MemoryPoint, watchMemory } from "./watch-memory.ts";
import { WebhookScene } from "./webhook-scene.ts";

export interface Backlog {
  readonly events: number;
  readonly deliveries: number;
  /** From the first delivery's arrival to the last one's, the events of the first left out. */
  readonly seconds: number;
  readonly perSecond: number;
  readonly memory: readonly MemoryPoint[];
  readonly usage: Usage;
  readonly faults: readonly string[];
}

/** One webhook for which all of them wait: how fast they go out, and what that takes of memory. */
export async function measureBacklog(
  servers: Servers,
  { events, profileDir }: WebhooksOptions,
  say: (text: string) => void,
): Promise<Backlog> {
  const scene = await WebhookScene.open(servers, 1);
  try {
    say(`backlog: storing ${events} events`);
    await fillBacklog(scene.installation.store, scene.organisations[0] as string, events);
    await scene.installation.settle();
    say("backlog: delivering them");
    const drain = new Drain(scene, events);
    const service = await scene.start(profileDir);
    const { result, memory } = await watchMemory(
      service.pid,
      () => drain.arrived / events,
      () => watchService(service, () => drain.done),
    );
    say("backlog: verifying");
    const faults = await scene.faults([events]);
    return { events, memory, faults, ...result };
  } finally {
    await scene.close();
  }
}

/** The arrivals of a known number of events. */
class Drain {
  arrived = 0;
  readonly done: Promise<Pick<Backlog, "deliveries" | "seconds" | "perSecond">>;

  constructor({ receiver }: WebhookScene, events: number) {
    let deliveries = 0;
    let firstMs: number | undefined;
    let firstEvents = 0;
    this.done = new Promise((resolve) => {
      receiver.listen((arrivals) => {
        for (const arrival of arrivals) {
          if (firstMs === undefined) {
            firstMs = arrival.atMs;
            firstEvents = arrival.events;
          }
          deliveries++;
          this.arrived += arrival.events;
          if (this.arrived < events) continue;
          const seconds = (arrival.atMs - firstMs) / 1000;
          resolve({ deliveries, seconds, perSecond: (events - firstEvents) / seconds });
        }
      });
    });
  }
}
