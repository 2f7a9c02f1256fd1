/**
 * Follows the requests to one webhook, and checks for each whether it may come at its place (contract, section
 * 10). It shares no code with the dispatcher.
 */
export class WebhookAudit {
  readonly problems: string[] = [];
  /** How many requests brought nothing new. */
  repeated = 0;
  readonly #name: string;
  /** Events in the order of their first arrival. */
  readonly #order: string[] = [];
  readonly #seen = new Set<string>();
  readonly #accepted = new Set<string>();
  /** Events that came, but in no accepted request. */
  readonly #open = new Set<string>();
  /** The body of each delivery, by its `webhook-id`. */
  readonly #bodies = new Map<string, string>();

  constructor(name: string) {
    this.#name = name;
  }

  /** Call it when a whole request has come. */
  receive(id: string, body: string, events: readonly string[]): void {
    if ((this.#bodies.get(id) ?? body) !== body) this.#fault(`${id} came again with another body`);
    this.#bodies.set(id, body);
    const fresh = events.filter((event) => !this.#seen.has(event));
    if (fresh.length === 0) {
      this.repeated++;
      return;
    }
    const left = [...this.#open].filter((event) => !events.includes(event));
    if (left.length > 0) this.#fault(`${id} came although ${left.length} events before it were not accepted`);
    for (const event of fresh) {
      this.#seen.add(event);
      this.#open.add(event);
      this.#order.push(event);
    }
  }

  /** Call it when the request is answered with 2xx, whether or not the answer arrives. */
  accept(events: readonly string[]): void {
    for (const event of events) {
      this.#accepted.add(event);
      this.#open.delete(event);
    }
  }

  /** The event that came first. */
  get first(): string | undefined {
    return this.#order[0];
  }

  hasAccepted(events: readonly string[]): boolean {
    return events.every((event) => this.#accepted.has(event));
  }

  /** @param expected every event that the webhook should get, in order */
  finish(expected: readonly string[]): void {
    const missing = expected.filter((event) => !this.#accepted.has(event));
    if (missing.length > 0) this.#fault(`${missing.length} of ${expected.length} events were never accepted`);
    const at = this.#order.findIndex((event, i) => event !== expected[i]);
    if (at >= 0) this.#fault(`event ${at} is ${this.#order[at]}, not ${expected[at]}`);
  }

  #fault(text: string): void {
    this.problems.push(`${this.#name}: ${text}`);
  }
}
