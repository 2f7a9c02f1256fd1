import { setTimeout as delay } from "node:timers/promises";
import { type StampedeClient, StampedeError, type WebhookEvent } from "#client";
import { type EventPattern, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";

interface PullOptions {
  readonly client: StampedeClient;
  /** Absent: all types. */
  readonly types?: ReadonlyArray<EventPattern | WebhookEvent["type"]> | undefined;
  /** Also events that were written since then. Absent: only new ones. */
  readonly since?: Date | undefined;
  /** How long to wait if nothing is new. */
  readonly pollMs: number;
  readonly signal: AbortSignal;
  /** Called once, when no event from now on can be missed. */
  readonly onStart?: () => void;
  /** Called with a reason when asking fails or starts over, and with undefined when it works again. */
  readonly onTrouble: (reason: string | undefined) => void;
}

/** Behind every event: a page from here on is empty, and its cursor is the present end. */
const FAR_AHEAD = new Date("2100-01-01T00:00:00Z");
/** A larger difference between this machine's clock and the database's could miss an event. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Webhook events by `event/list`, page by page, in order, until the signal aborts. It asks for the next page when the consumer
 * is done with the last one, so that the cursor never passes an unhandled event.
 *
 * It retries until an instance that is away is back: cursors outlive it. If the instance refuses the cursor (its database was
 * replaced, or the events are too old), asking starts over at the time of the last page, and events may come twice.
 * @throws StampedeError if the service refuses for good, such as for a wrong token
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

/** The position of asking, and its failures. */
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

  /** Asks once. undefined: it failed and may be repeated, or the signal aborted. */
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

  /** Waits before the next attempt. @throws the error, if no attempt can succeed */
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
