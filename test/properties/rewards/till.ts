import { setTimeout as delay } from "node:timers/promises";
import type { TransactionEvent } from "#contract";
import { encodeId } from "#domain";
import type { Store } from "#postgres";
import type { PublisherClient, RawAnswer } from "#test-support";

/** The outcome of one event. */
export interface Receipt {
  readonly rejected: boolean;
  /** Its id in the API. */
  readonly transactionId: string;
}

interface Customer {
  readonly event: TransactionEvent;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests under way at once. */
const REQUESTS = 3;
/** A stream on a disk that others use too may be away for seconds. */
const ATTEMPTS = 60;
const PAUSE_MS = 500;

/**
 * Sends transaction events of many runs. Events that wait at the same time share a request: single requests
 * would be most of the cost of a test. A run has at most one event under way, so its own order stays.
 */
export class Till {
  readonly #client: PublisherClient;
  readonly #store: Store;
  readonly #organisationId: string;
  #queue: Customer[] = [];
  #underWay = 0;

  constructor(client: PublisherClient, store: Store, organisationId: string) {
    this.#client = client;
    this.#store = store;
    this.#organisationId = organisationId;
  }

  /** Resolves once the event is committed, or rejected. */
  enter(event: TransactionEvent): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ event, resolve, reject });
      // Other events of this turn of the event loop join the request.
      setImmediate(() => this.#next());
    });
  }

  #next(): void {
    if (this.#underWay >= REQUESTS || this.#queue.length === 0) return;
    const customers = this.#queue;
    this.#queue = [];
    this.#underWay += 1;
    void this.#serve(customers)
      .catch((error) => {
        for (const { reject } of customers) reject(error);
      })
      .finally(() => {
        this.#underWay -= 1;
        this.#next();
      });
  }

  async #serve(customers: readonly Customer[]): Promise<void> {
    const answer = await this.#send(customers.map(({ event }) => event));
    const rejected = new Set((await this.#rejectedOf(answer)).map(({ index }) => index));
    const refs = customers.map(({ event }) => event.external_id);
    const rows = await this.#store<{ ref: string; id: string }[]>`
      select external_id as ref, id from transactions
      where organisation_id = ${this.#organisationId} and external_id = any(${refs})`;
    const ids = new Map(rows.map(({ ref, id }) => [ref, encodeId("tx", id)]));
    for (const [i, { event, resolve }] of customers.entries()) {
      resolve({ rejected: rejected.has(i), transactionId: ids.get(event.external_id) as string });
    }
  }

  /**
   * Repeats, as the answer says, events that were refused for now, or whose fate is unknown because the
   * stream did not answer.
   */
  async #send(events: readonly TransactionEvent[]): Promise<RawAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#client.ingest(events);
      if (answer.status < 500 || attempt === ATTEMPTS) return answer;
      await delay(PAUSE_MS);
    }
  }

  async #rejectedOf({ status, body }: RawAnswer): Promise<{ index: number }[]> {
    if (status === 200) return [];
    if (status === 409) return body.error.data.rejected;
    if (status !== 202) throw new Error(`transaction/ingest: ${status} ${JSON.stringify(body)}`);
    // On a slow machine the answer comes before the commit; then this waits for the commit.
    return (await this.#client.batchOf(body.batch_id)).rejected;
  }
}
