import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Agent } from "undici";
import type { EventDelivery } from "#contract";
import {
  makeEvent,
  PlatformClient,
  PublisherClient,
  type RawAnswer,
  type ReceivedRequest,
  waitFor,
} from "#test-support";

/** The requests of the quiet organisation; each kind is measured separately. */
export const DEEDS = ["ingest", "list", "webhook", "payment"] as const;
export type Deed = (typeof DEEDS)[number];

/** An integrator's time-out: above the 5 s after which an ingest is answered at the latest. */
const ANSWER_MS = 10_000;
/** The time within which a webhook must come. */
const ARRIVAL_MS = 30_000;
/** Replaces both in runs that measure nothing, on a machine that does other things too. */
const PATIENCE_MS = 90_000;

/** The results of one round of measuring. */
export interface Seen {
  /** Milliseconds from the moment at which a request was due. */
  readonly ms: Readonly<Record<Deed, number[]>>;
  /** Answers that an idle service would not give. */
  readonly refusals: string[];
  /** Events whose webhook has not come. */
  readonly missing: string[];
}

export interface QuietOptions {
  readonly edge: string;
  readonly platform: string;
  readonly retailerToken: string;
  readonly memberbase: string;
  readonly member: string;
  /**
   * Whether times count. If not, only refusals count, and a slow ingest, which is answered 202 after 5 s, is
   * not one.
   */
  readonly isMeasured: boolean;
}

/** The organisation that must not notice the others: single events, short lists, and a webhook. */
export class QuietOne {
  readonly #options: QuietOptions;
  readonly #arrived = new Map<string, number>();

  constructor(options: QuietOptions) {
    this.#options = options;
  }

  /** A delivery to its webhook. */
  receive({ body, at }: ReceivedRequest): void {
    const { events } = JSON.parse(body) as EventDelivery;
    for (const event of events) {
      if (!("transaction_ref" in event) || this.#arrived.has(event.transaction_ref)) continue;
      this.#arrived.set(event.transaction_ref, at);
    }
  }

  /**
   * Makes requests at their times, without waiting for earlier answers, and waits for all answers and webhooks.
   * @param token of this organisation
   */
  async act(token: string, { rounds, everyMs }: { rounds: number; everyMs: number }): Promise<Seen> {
    const seen: Seen = {
      ms: { ingest: [], list: [], webhook: [], payment: [] },
      refusals: [],
      missing: [],
    };
    const { edge, platform, retailerToken, isMeasured } = this.#options;
    const answerMs = isMeasured ? ANSWER_MS : PATIENCE_MS;
    const agent = new Agent({ connections: null, headersTimeout: answerMs, bodyTimeout: answerMs });
    const publisher = new PublisherClient(edge, token, agent);
    const retailer = new PlatformClient(platform, retailerToken, agent);
    const waiting: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let round = 0; round < rounds; round++) {
      const dueAt = startedAt + round * everyMs;
      const early = dueAt - performance.now();
      if (early > 0) await delay(early);
      waiting.push(this.#ingest(seen, publisher, dueAt), this.#list(seen, publisher, dueAt, round));
      if (round % 2 === 0) waiting.push(this.#beTold(seen, publisher, dueAt));
      else waiting.push(this.#pay(seen, retailer, dueAt));
    }
    await Promise.all(waiting);
    await agent.destroy();
    return seen;
  }

  async #ingest(seen: Seen, client: PublisherClient, dueAt: number): Promise<void> {
    const event = makeEvent(this.#options.member);
    const expected = this.#options.isMeasured ? [200] : [200, 202];
    await answered(seen, "ingest", dueAt, expected, () => client.ingest([event], FROM));
  }

  async #list(seen: Seen, client: PublisherClient, dueAt: number, round: number): Promise<void> {
    const { memberbase } = this.#options;
    const lists = [
      ["member-base/list", {}],
      ["member/list", { member_base_id: memberbase }],
      ["event/list", { limit: 10 }],
    ] as const;
    const [route, body] = lists[round % lists.length] as (typeof lists)[number];
    await answered(seen, "list", dueAt, [200], () => client.post(route, body, FROM), route);
  }

  /** An event that will be rejected, which causes a webhook. */
  async #beTold(seen: Seen, client: PublisherClient, dueAt: number): Promise<void> {
    const event = makeEvent("m_unknown");
    const headers = { ...FROM, prefer: "respond-async" };
    const send = () => client.ingest([event], headers);
    if (!(await answered(seen, undefined, dueAt, [202], send, "ingest, async"))) return;
    const arrived = () => this.#arrived.get(event.external_id);
    const deadlineMs = this.#options.isMeasured ? ARRIVAL_MS : PATIENCE_MS;
    const at = await waitFor(arrived, { deadlineMs, message: "told" }).catch(() => undefined);
    if (at === undefined) seen.missing.push(event.external_id);
    else seen.ms.webhook.push(at - dueAt);
    this.#arrived.delete(event.external_id);
  }

  async #pay(seen: Seen, client: PlatformClient, dueAt: number): Promise<void> {
    const payment = {
      payment_id: randomBytes(8).toString("hex"),
      identifiers: [randomBytes(32).toString("hex")],
      amount: 100,
      currency: "EUR",
      paid_at: "2026-03-01T10:00:00Z",
    };
    await answered(seen, "payment", dueAt, [200], () =>
      client.post("payment/ingest", { payments: [payment] }, FROM),
    );
  }
}

/** The address from which the quiet organisation calls. */
export const QUIET_ADDRESS = "192.0.2.10";
const FROM = { "x-forwarded-for": QUIET_ADDRESS };

/** @returns whether the answer was an expected one; records it as a refusal if not */
async function answered(
  seen: Seen,
  deed: Deed | undefined,
  dueAt: number,
  expected: readonly number[],
  send: () => Promise<RawAnswer>,
  what: string = deed ?? "",
): Promise<boolean> {
  const answer = await send().catch((error: Error) => error);
  const isExpected = !(answer instanceof Error) && expected.includes(answer.status);
  if (isExpected && deed !== undefined) seen.ms[deed].push(performance.now() - dueAt);
  if (isExpected) return true;
  const told =
    answer instanceof Error
      ? `no answer (${answer.message})`
      : `${answer.status} ${answer.body?.error?.data?.reason ?? answer.body?.error?.message ?? answer.body?.status}`;
  seen.refusals.push(`${what}: ${told}`);
  return false;
}
