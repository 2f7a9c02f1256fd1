import type { WebhookEvent } from "#contract";
import type { Caller } from "./caller.ts";
import { succeed } from "./offers.ts";

/** An integrator that cannot be called, and so polls: it reads `event/list` from its cursor again and again. */
export class Poller {
  readonly #caller: Caller;
  readonly #seen = new Set<string>();
  #cursor: string | undefined;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#read();
      await this.#caller.pause();
    }
  }

  /** Reads to the end. @returns how many of these events never came */
  async missing(events: readonly WebhookEvent[]): Promise<number> {
    while (await this.#read()) {}
    return events.filter(({ event_id }) => !this.#seen.has(event_id)).length;
  }

  /** @returns whether there may be more */
  async #read(): Promise<boolean> {
    const after = this.#cursor;
    const request = after === undefined ? {} : { after };
    const { data, page } = await succeed(this.#caller, "publisher", "event/list", request);
    for (const { event_id } of data as WebhookEvent[]) this.#seen.add(event_id);
    this.#cursor = page.cursor;
    return page.more;
  }
}
