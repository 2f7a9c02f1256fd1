import type { WebhookEvent } from "#client";

type EventName = WebhookEvent["type"];

/** The events of a scenario's purchases, each once even if it is delivered twice, and a wait for expected ones. */
export class EventInbox {
  readonly #isOurs: (ref: string) => boolean;
  readonly #onEvent: (event: WebhookEvent) => void;
  readonly #seen = new Set<string>();
  /** Types of events that came and that no `take` has taken. */
  readonly #untaken: EventName[] = [];
  #wake: () => void = () => {};
  #fault: Error | undefined;

  /**
   * @param isOurs whether an `external_id` is one of the scenario's: others use the organisation too
   * @param onEvent called at once for each
   */
  constructor(isOurs: (ref: string) => boolean, onEvent: (event: WebhookEvent) => void) {
    this.#isOurs = isOurs;
    this.#onEvent = onEvent;
  }

  add(event: WebhookEvent): void {
    if (event.type === "webhook.test" || !this.#isOurs(event.transaction_ref)) return;
    if (this.#seen.has(event.event_id)) return;
    this.#seen.add(event.event_id);
    this.#onEvent(event);
    this.#untaken.push(event.type);
    this.#wake();
  }

  /** No more events will come: a waiting `take` throws the error. */
  fail(error: Error): void {
    this.#fault = error;
    this.#wake();
  }

  /**
   * Waits until an event of each of these types has come that no earlier call took: the stamp of the first purchase is not
   * that of the second.
   * @returns the types that did not come within the time
   * @throws what `fail` was given
   */
  async take(types: readonly EventName[], withinMs: number): Promise<EventName[]> {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.#wake();
    }, withinMs);
    try {
      for (;;) {
        const missing = this.#missing(types);
        if (missing.length === 0 || isOver) {
          this.#remove(types);
          return missing;
        }
        if (this.#fault !== undefined) throw this.#fault;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #missing(types: readonly EventName[]): EventName[] {
    const left = [...this.#untaken];
    return types.filter((type) => {
      const at = left.indexOf(type);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  }

  #remove(types: readonly EventName[]): void {
    for (const type of types) {
      const at = this.#untaken.indexOf(type);
      if (at >= 0) this.#untaken.splice(at, 1);
    }
  }
}
