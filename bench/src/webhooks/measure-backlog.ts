import type { Store } from "#postgres";
import type { Setting } from "../kit/benchmark.ts";
import type { Usage } from "../kit/usage.ts";
import type { WebhooksOptions } from "./options.ts";
import { EVENT_TYPE, eventBody, WebhookScene } from "./webhook-scene.ts";

export interface Backlog {
  readonly events: number;
  readonly deliveries: number;
  /** From the first delivery's arrival to the last one's, without the events of the first. */
  readonly seconds: number;
  readonly perSecond: number;
  readonly memory: readonly MemoryPoint[];
  readonly usage: Usage;
  readonly faults: readonly string[];
}

/** One webhook for which all of them wait: the rate, and the memory that it takes. */
export async function measureBacklog({ servers, options, say }: Setting<WebhooksOptions>): Promise<Backlog> {
  const { events } = options;
  const scene = await WebhookScene.open(servers, 1);
  try {
    say(`backlog: storing ${events} events`);
    await fillBacklog(scene.installation.store, scene.organisations[0] as string, events);
    await scene.installation.settle();
    say("backlog: delivering them");
    const drain = new Drain(scene, events);
    const service = await scene.start();
    const startedMs = Date.now();
    const result = await scene.watch(
      service,
      () => drain.done,
      () => events - drain.arrived,
    );
    const memory = result.usage.samples.map(({ atMs, queueDepth, rssBytes }) => ({
      ...{ seconds: (atMs - startedMs) / 1000, done: 1 - queueDepth / events, rssBytes },
    }));
    say("backlog: verifying");
    const faults = await scene.faults([events]);
    return { events, memory, faults, ...result };
  } finally {
    await scene.close();
  }
}

/** The arrivals of a known number of events. */
export class Drain {
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

const ROWS_PER_STATEMENT = 100_000;

/**
 * Stores events of one organisation, numbered from 1, as if they had been written over time. There is no
 * other writer then.
 */
export async function fillBacklog(store: Store, organisationId: string, events: number): Promise<void> {
  const template = eventBody("@event", "@transaction", "@number");
  for (let first = 1; first <= events; first += ROWS_PER_STATEMENT) {
    const last = Math.min(events, first + ROWS_PER_STATEMENT - 1);
    // Digits are TypeIDs too. Ids that rise, as UUIDv7 do.
    await store`
      insert into events (id, organisation_id, type, at, transaction_id, body)
      select lpad(to_hex(number), 32, '0')::uuid, ${organisationId}::uuid, ${EVENT_TYPE}::text, now(),
             lpad(to_hex(number), 32, '0')::uuid,
             replace(
               replace(
                 replace(${template}::text, '@event', 'evt_' || lpad(number::text, 26, '0')),
                 '@transaction', 'tx_' || lpad(number::text, 26, '0')
               ),
               '@number', number::text
             )
      from generate_series(${first}::int, ${last}::int) as number
      order by number`;
  }
}

export interface MemoryPoint {
  readonly seconds: number;
  /** Of all that there is to do, 0 to 1. */
  readonly done: number;
  readonly rssBytes: number;
}

/** The highest value seen between these shares of the work; undefined: none was seen then. */
export function largestBetween(memory: readonly MemoryPoint[], from: number, to: number): number | undefined {
  const sizes = memory.filter(({ done }) => done >= from && done <= to).map(({ rssBytes }) => rssBytes);
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}
