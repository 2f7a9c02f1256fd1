import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { FLOW } from "#contract";
import { createTokenSecret, hashTokenSecret, transactionIdentifiers } from "#domain";
import type { Store } from "#postgres";
import { dealTable } from "../../../services/platform/src/configuration/deals.ts";
import { programTable } from "../../../services/platform/src/configuration/programs.ts";
import { createRetailer } from "../../../services/platform/src/retailers/retailer-rows.ts";
import type { Arena } from "../ingest/arena.ts";
import { describeTransaction } from "../ingest/event-text.ts";
import { EPOCH_MS, type World } from "../ingest/world.ts";
import { seededUuid } from "../kit/random.ts";
import { Caller } from "../kit/requests.ts";
import type { Stampede } from "../kit/subjects.ts";
import { DISPLAY_CONTENT } from "./fill-rewards.ts";

const PROGRAMS = 5;
const CLIP_EVERY = 10;
const MADE = new Date(EPOCH_MS);

function retailerTokens(seed: number): string[] {
  return Array.from({ length: PIPELINE_RETAILERS }, (_, i) =>
    createTokenSecret(hash("sha256", `stampede bench pipeline ${seed} ${i}`, "buffer")),
  );
}

/**
 * Retailers, programs that count at all of them, a deal; and every member enrolled, before the workload's
 * first purchase: a card made today would not count for purchases of its epoch (contract, section 9).
 */
export async function configureLoop(store: Store, seed: number): Promise<void> {
  for (const [i, token] of retailerTokens(seed).entries()) {
    await createRetailer(store, {
      id: seededUuid(EPOCH_MS, seed + 91, i),
      name: `Retailer ${i}`,
      merchantIds: merchantsOf(i),
      statementDescriptors: [],
      tokenHash: hashTokenSecret(token),
    });
  }
  const all = Array.from({ length: PIPELINE_RETAILERS }, (_, i) => merchantsOf(i)).flat();
  const common = {
    displayContent: DISPLAY_CONTENT,
    rules: { merchant_ids: all, confirmation: "retailer", retroactive: true },
  } as const;
  const programs = Array.from({ length: PROGRAMS }, (_, i) => seededUuid(EPOCH_MS, seed + 92, i));
  for (const [i, id] of programs.entries()) {
    const terms = { qualifyingThreshold: 5 + i, rewardConfig: { type: "refund" } } as const;
    await programTable.create(store, { id, name: `Program ${i}`, ...terms, ...common });
  }
  const dealId = seededUuid(EPOCH_MS, seed + 93, 0);
  const rewardConfig = { type: "percent", percent: 5 } as const;
  await dealTable.create(store, {
    id: dealId,
    name: "Deal",
    rewardConfig,
    startsAt: null,
    endsAt: null,
    ...common,
  });
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, created_at)
    select md5('collection' || id)::uuid, organisation_id, id, (${programs}::uuid[])[1 + at % ${PROGRAMS}], ${MADE}
    from (select id, organisation_id, row_number() over (order by id)::int as at from members) as member`;
  await store`
    insert into clips (id, organisation_id, member_id, deal_id, created_at)
    select md5('clip' || id)::uuid, organisation_id, id, ${dealId}::uuid, ${MADE}
    from (select id, organisation_id, row_number() over (order by id)::int as at from members) as member
    where at % ${CLIP_EVERY} = 0`;
  await store`update members set linked = true`;
  await store.script("vacuum analyze");
}

/** The URL of an installation's database that has the platform's tables. */
export async function isQueueEmpty(store: Store): Promise<boolean> {
  const rows = await store`select from platform.outcome_queue limit 1`;
  return rows.length === 0;
}

/** In the order of the pipeline, so that no message passes between two looks. */
export async function isLoopEmpty(subject: Stampede, store: Store): Promise<boolean> {
  const isEmpty = async (stream: string): Promise<boolean> => (await subject.messagesIn(stream)) === 0;
  return (
    (await isEmpty(FLOW.ingest.stream)) &&
    (await isEmpty(FLOW.platformTransactions.stream)) &&
    (await isQueueEmpty(store)) &&
    (await isEmpty(FLOW.outcomes.stream)) &&
    (await isEmpty(FLOW.settlement.stream))
  );
}

/** A prepared request of `payment/ingest`. */
export interface PaymentRequest {
  readonly token: string;
  readonly body: string;
  readonly payments: number;
}

const PATH = "/platform.v1/payment/ingest";
const AT_ONCE = 2;

/** Sends requests over two connections, each of which sends its next once it has its answer. */
export class PaymentSender {
  readonly #caller: Caller;

  constructor(url: string) {
    this.#caller = new Caller(url, AT_ONCE);
  }

  /**
   * @param whenDue resolves when a request may be sent; false: neither it nor later ones are wanted any more
   * @returns the milliseconds that each answer took
   * @throws Error unless all are answered 200 with all of their payments
   */
  async sendAll(
    requests: readonly PaymentRequest[],
    whenDue: (at: number) => Promise<boolean> = async () => true,
  ): Promise<number[]> {
    const spent: number[] = [];
    await this.#caller.forEach(requests.length, async (at) => {
      if (!(await whenDue(at))) return false;
      const { token, body, payments } = requests[at] as PaymentRequest;
      const startedMs = performance.now();
      const { accepted } = (await this.#caller.ask(PATH, token, body)) as { accepted: number };
      spent.push(performance.now() - startedMs);
      if (accepted !== payments) throw new Error(`${accepted} of ${payments} payments were accepted`);
      return true;
    });
    return spent;
  }

  close(): Promise<void> {
    return this.#caller.close();
  }
}

/** The retailers of the pipeline: one in ten of the workload's merchants belongs to one of them. */
export const PIPELINE_RETAILERS = 5;
const PER_REQUEST = 200;
const POLL_MS = 20;
/** `MID-100000` and so on, named like those of `describeTransaction`. */
const FIRST_MERCHANT = 100_000;
const ROUTED_MERCHANTS = 500;

export function merchantsOf(retailer: number): string[] {
  const all = Array.from({ length: ROUTED_MERCHANTS }, (_, i) => `MID-${FIRST_MERCHANT + i}`);
  return all.filter((_, i) => i % PIPELINE_RETAILERS === retailer);
}

/** The retailer of a purchase; undefined: none of them. */
function retailerOf(merchantId: string): number | undefined {
  const number = Number(merchantId.slice("MID-".length)) - FIRST_MERCHANT;
  return number < ROUTED_MERCHANTS ? number % PIPELINE_RETAILERS : undefined;
}

/** A request and when it is due: the number of its last purchase in the run. */
interface DueRequest extends PaymentRequest {
  readonly after: number;
}

/** The retailers' payments for the purchases of a run, in the order of their authorization. */
export function paymentsOfRun({
  seed,
  run,
  transactions,
  world,
  tokens,
}: {
  readonly seed: number;
  readonly run: number;
  readonly transactions: number;
  readonly world: World;
  readonly tokens: readonly string[];
}): DueRequest[] {
  const requests: DueRequest[] = [];
  const open = tokens.map((): string[] => []);
  const close = (retailer: number, after: number): void => {
    const closed = (open[retailer] as string[]).splice(0);
    const body = `{"payments":[${closed.join(",")}]}`;
    requests.push({ token: tokens[retailer] as string, body, payments: closed.length, after });
  };
  for (let number = 0; number < transactions; number++) {
    const transaction = describeTransaction(seed, run, number, world.memberIds.length);
    const retailer = retailerOf(transaction.merchantId);
    if (retailer === undefined) continue;
    const { six, eight } = transactionIdentifiers(transaction);
    const { externalId, amount, currency, authedAtMs } = transaction;
    const payments = open[retailer] as string[];
    payments.push(
      JSON.stringify({
        payment_id: `P-${externalId}`,
        identifiers: eight === null ? [six] : [six, eight],
        amount,
        currency,
        paid_at: new Date(authedAtMs).toISOString(),
      }),
    );
    if (payments.length === PER_REQUEST) close(retailer, number);
  }
  for (const [retailer, payments] of open.entries()) if (payments.length > 0) close(retailer, transactions);
  return requests;
}

/** A run of ingestion whose purchases are paid. */
interface PaidRun {
  readonly run: number;
  /** At the expected rate. */
  readonly eventsPerSecond: number;
  /** With its warm-up. */
  readonly seconds: number;
}

const NEW_SHARE = 0.8;
/** A number beyond the last request is never due. */
const SPARE = 1.5;

/**
 * Sends payments during ingestion until it is ended: earlier or later than their purchases, as far as the
 * rate differs from the expected one. The platform accepts either half first.
 * @returns how to end it, waiting for the requests under way
 */
export function payAlong(
  { options, world }: Arena,
  subject: Stampede,
  { run, eventsPerSecond, seconds }: PaidRun,
): () => Promise<void> {
  const perSecond = eventsPerSecond * NEW_SHARE;
  const { seed } = options;
  const transactions = Math.ceil(perSecond * seconds * SPARE);
  const requests = paymentsOfRun({ seed, run, transactions, world, tokens: retailerTokens(seed) });
  // Until the first transaction is sent, the load process makes its requests.
  const begun = async (): Promise<boolean> => (await subject.queueDepth()) > 0;
  const sender = new PaymentSender(subject.platformUrl as string);
  const over = new AbortController();
  const { signal } = over;
  const send = async (): Promise<void> => {
    while (!signal.aborted && !(await begun())) await delay(POLL_MS, undefined, { signal }).catch(() => {});
    const startedMs = performance.now();
    await sender.sendAll(requests, async (at) => {
      const dueMs = startedMs + ((requests[at] as DueRequest).after / perSecond) * 1000;
      const waitMs = Math.max(0, dueMs - performance.now());
      await delay(waitMs, undefined, { signal }).catch(() => {});
      // A run may be so short that none was due: one request shows that payments find their purchases.
      return at === 0 || !signal.aborted;
    });
  };
  const sending = send();
  // The caller that ends it gets the failure.
  sending.catch(() => {});
  return async () => {
    over.abort();
    await sending;
    await sender.close();
  };
}
