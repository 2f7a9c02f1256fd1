import type { WebhookEvent } from "#client";

const COUNTED = ["qualifying_purchase.created", "cashback.created", "cashback.cleared"] as const;
type CountedType = (typeof COUNTED)[number];

/** The webhook events of one run. A delivery may come twice; an event counts once. */
export class ToldEvents {
  /** Events of one type about one purchase beyond the first: there must be none. */
  twice = 0;
  /** Events of other types: there must be none. */
  strange = 0;
  /** Requests that did not verify. */
  refused = 0;
  readonly #prefix: string;
  readonly #ids = new Set<string>();
  readonly #said = new Set<string>();
  readonly #counts = new Map<CountedType, number>();

  /** @param prefix of the `external_id`s of the run */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(event: WebhookEvent): void {
    if (event.type === "webhook.test" || !event.transaction_ref.startsWith(this.#prefix)) return;
    if (this.#ids.has(event.event_id)) return;
    this.#ids.add(event.event_id);
    const type = COUNTED.find((one) => one === event.type);
    if (type === undefined) {
      this.strange++;
      return;
    }
    this.#counts.set(type, this.count(type) + 1);
    const said = `${type} ${event.transaction_ref}`;
    if (this.#said.has(said)) this.twice++;
    this.#said.add(said);
  }

  count(type: CountedType): number {
    return this.#counts.get(type) ?? 0;
  }

  get total(): number {
    return this.#ids.size;
  }
}
