import { setTimeout as delay } from "node:timers/promises";
import { type StampedeClient, StampedeError, type WebhookEvent } from "#client";
import { type EventPattern, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";

export interface PullOptions {
  readonly client: StampedeClient;
  /** Absent: all types. */
  readonly types?: ReadonlyArray<EventPattern | WebhookEvent["type"]> | undefined;
  /** Events that were written since. Absent: those that come from now on. */
  readonly since?: Date | undefined;
  /** How long to wait where nothing is new. */
  readonly pollMs: number;
  readonly signal: AbortSignal;
  /** Called once, when nothing that happens from now on can be missed. */
  readonly onStart?: () => void;
  /** Told when asking begins to fail, when it works again (undefined), and when it had to begin anew. */
  readonly onTrouble: (reason: string | undefined) => void;
}

/** Behind every event: a page from here on is empty, and its cursor is the present end. */
const FAR_AHEAD = new Date("2100-01-01T00:00:00Z");
/** By so much this machine's clock and the database's may differ before an event is missed. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Webhook events as `event/list` gives them, page by page, in order, until the signal aborts. The next page is asked for
 * when the consumer is done with the one before, so that the cursor never passes what was not handled.
 *
 * An instance that is away is asked until it is back: cursors outlive it. A cursor that it does not take any more (its
 * database is another one by now, or events so old are gone) is given up, and asking begins anew at the time of the last
 * page; events may then come again.
 * @throws StampedeError when the service refuses to be asked at all, such as for a wrong token
 */
export async function* pullEvents(options: PullOptions): AsyncGenerator<readonly WebhookEvent[]> {
  const { pollMs, signal } = options;
  const pull = new Pull(options);
  while (!signal.aborted) {
    const page = await pull.next();
    if (page === undefined) continue;
    if (page.events.length > 0) yield page.events;
    if (!page.more) await pause(pollMs, signal);
  }
}

/** Where asking stands, and how it goes. */
class Pull {
  readonly #options: PullOptions;
  #position: Position;
  #lastPageAt = Date.now();
  #failures = 0;
  #isStarted = false;

  constructor(options: PullOptions) {
    this.#options = options;
    this.#position = { since: options.since ?? FAR_AHEAD };
  }

  /** Asks once. undefined: it failed, and the next time may not, or the signal aborted. */
  async next(): Promise<{ events: readonly WebhookEvent[]; more: boolean } | undefined> {
    const { client, types, signal, onStart, onTrouble } = this.#options;
    const narrowed = types === undefined ? {} : { types: [...types] };
    const body = { ...narrowed, limit: LIMITS.eventsPerDelivery, ...requestOf(this.#position) };
    try {
      const { data, page } = await client.call("event/list", body, {
        signal,
        onRetry: ({ error }) => this.#fail(error.message),
      });
      if (this.#failures > 0) onTrouble(undefined);
      this.#failures = 0;
      this.#lastPageAt = Date.now();
      this.#position = { after: page.cursor };
      if (!this.#isStarted) onStart?.();
      this.#isStarted = true;
      return { events: data, more: page.more };
    } catch (error) {
      if (!signal.aborted) await this.#recover(error);
      return undefined;
    }
  }

  /** Waits until it makes sense to ask again. @throws the error, if it never will */
  async #recover(error: unknown): Promise<void> {
    if (!(error instanceof StampedeError)) throw error;
    if (error.code === "bad_request" && "after" in this.#position) {
      const { onTrouble } = this.#options;
      onTrouble(`its cursor is not valid any more (${error.message}): starting again, events may come twice`);
      this.#position = { since: new Date(this.#lastPageAt - CLOCKS_DIFFER_MS) };
      return;
    }
    if (!isPassing(error)) throw error;
    this.#fail(error.message);
    await pause(retryDelayMs(this.#failures, Math.random()), this.#options.signal);
  }

  #fail(reason: string): void {
    if (this.#failures === 0) this.#options.onTrouble(reason);
    this.#failures++;
  }
}

type Position = { readonly after: string } | { readonly since: Date };

function requestOf(position: Position) {
  return "after" in position ? position : { since: position.since.toISOString() };
}

function isPassing({ code, status }: StampedeError): boolean {
  return code === "connection_error" || status === 429 || status >= 500;
}

/** Ends sooner when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
