import { type Dispatcher, request } from "undici";
import { PUBLISHER_PREFIX, type TransactionEvent } from "#contract";
import { PLATFORM_PREFIX } from "#contract/platform";
import { waitFor } from "./wait-for.ts";

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** The body of this route's answer. @throws Error unless it is 200 */
export function succeeded(route: string, { status, body }: RawAnswer): RawAnswer["body"] {
  if (status !== 200) throw new Error(`${route} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Posts to an API in the plainest way: no retries, no types, no code that could hide a fault. */
class ApiClient {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #dispatcher: Dispatcher | undefined;

  /** @param prefix such as `/publisher.v1/` */
  constructor(url: string | undefined, token: string | undefined, prefix: string, dispatcher?: Dispatcher) {
    if (url === undefined) throw new Error("this service has no URL");
    this.#url = url + prefix;
    this.#token = token;
    this.#dispatcher = dispatcher;
  }

  /** @param route such as `member/get`; a body that is a string is sent unchanged */
  async post(route: string, body: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const { text, ...answer } = await this.postForText(route, body, headers);
    return { ...answer, body: text === "" ? undefined : JSON.parse(text) };
  }

  /** Resolves to the body of the answer. @throws Error unless it is 200 */
  async call(route: string, body: unknown, headers?: Record<string, string>): Promise<RawAnswer["body"]> {
    return succeeded(route, await this.post(route, body, headers));
  }

  /** An answer with the body to the byte. */
  async postForText(
    route: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Omit<RawAnswer, "body"> & { readonly text: string }> {
    const response = await request(this.#url + route, {
      method: "POST",
      ...(this.#dispatcher !== undefined && { dispatcher: this.#dispatcher }),
      headers: {
        "content-type": "application/json",
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      text: await response.body.text(),
    };
  }
}

/** A client of the reference platform; `token` is the platform's or a retailer's. */
export class PlatformClient extends ApiClient {
  /** @param dispatcher connections of its own; default: those that all share */
  constructor(url: string | undefined, token: string | undefined, dispatcher?: Dispatcher) {
    super(url, token, PLATFORM_PREFIX, dispatcher);
  }
}

export class PublisherClient extends ApiClient {
  /** @param dispatcher connections of its own; default: those that all share */
  constructor(url: string | undefined, token: string | undefined, dispatcher?: Dispatcher) {
    super(url, token, PUBLISHER_PREFIX, dispatcher);
  }

  ingest(events: readonly TransactionEvent[], headers: Record<string, string> = {}): Promise<RawAnswer> {
    return this.post("transaction/ingest", { events }, headers);
  }

  /**
   * Ingests events of which none is rejected, and resolves once they are applied. On a busy machine the
   * answer may be 202: that is no failure, and the batch says when it is processed.
   */
  async apply(events: readonly TransactionEvent[]): Promise<void> {
    const { status, body } = await this.ingest(events);
    if (status === 200) return;
    if (status !== 202) throw new Error(`transaction/ingest answered ${status}: ${JSON.stringify(body)}`);
    const { rejected } = await this.batchOf(body.batch_id);
    if (rejected.length > 0) throw new Error(`transaction/ingest rejected ${JSON.stringify(rejected)}`);
  }

  /** The outcome of a batch, once it is known. */
  async batchOf(id: string): Promise<RawAnswer["body"]> {
    const processed = async () => {
      const { status, body } = await this.post("transaction.batch/get", { id });
      if (status !== 200 && status !== 503)
        throw new Error(`transaction.batch/get answered ${status}: ${JSON.stringify(body)}`);
      return body.status === "processed" && body;
    };
    return waitFor(processed, { message: `${id} is not processed` });
  }

  /** Makes a memberbase with members of these refs; resolves to the members' ids. */
  async enrol(...refs: string[]): Promise<string[]> {
    const memberbase = await this.post("member-base/create", { name: "test" });
    const members = await this.post("member/bulk-upsert", {
      member_base_id: memberbase.body.id,
      members: refs.map((ref) => ({ ref })),
    });
    return members.body;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Ten o'clock (UTC) this many days ago. */
export function daysAgo(days: number): string {
  return `${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)}T10:00:00Z`;
}

/**
 * When purchases of tests are authorized by default: members join later, when the test runs, and a
 * retroactive program counts purchases of the thirty days before.
 */
export const AUTHED_AT = daysAgo(10);
/** When they are cleared or reverted, if they are. */
export const CLEARED_AT = daysAgo(9);
export const REVERTED_AT = daysAgo(8);

let lastEvent = 0;

/** A well-formed authorization with an external_id of its own. */
export function makeEvent(memberId: string, changes: Partial<TransactionEvent> = {}): TransactionEvent {
  lastEvent++;
  return {
    member_id: memberId,
    external_id: `test-${process.pid}-${Date.now()}-${lastEvent}`,
    auth_code: "A1B2C3",
    network: "visa",
    bin: "411111",
    merchant_id: "MID-1",
    authed_at: AUTHED_AT,
    ...changes,
  };
}
