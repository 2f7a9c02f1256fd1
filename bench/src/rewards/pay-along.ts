import { setTimeout as delay } from "node:timers/promises";
import { transactionIdentifiers } from "#domain";
import { describeTransaction } from "../event-text.ts";
import type { World } from "../world.ts";
import { type PaymentRequest, PaymentSender } from "./send-payments.ts";

/** The retailers of the pipeline: one in ten of the workload's merchants belongs to one of them. */
export const PIPELINE_RETAILERS = 5;
const PER_REQUEST = 200;
const POLL_MS = 20;
/** `MID-100000` and so on, as `describeTransaction` names them. */
const FIRST_MERCHANT = 100_000;
const ROUTED_MERCHANTS = 500;

export function merchantsOf(retailer: number): string[] {
  const all = Array.from({ length: ROUTED_MERCHANTS }, (_, i) => `MID-${FIRST_MERCHANT + i}`);
  return all.filter((_, i) => i % PIPELINE_RETAILERS === retailer);
}

/** Whose purchase it is; undefined: of none of them. */
function retailerOf(merchantId: string): number | undefined {
  const number = Number(merchantId.slice("MID-".length)) - FIRST_MERCHANT;
  return number < ROUTED_MERCHANTS ? number % PIPELINE_RETAILERS : undefined;
}

/** A request and when it is due: its last purchase is the so many-th of the run. */
interface DueRequest extends PaymentRequest {
  readonly after: number;
}

/** Transactions of one run of the ingest workload, and the tokens of the retailers. */
export interface PaidRun {
  readonly seed: number;
  readonly run: number;
  readonly transactions: number;
  readonly world: World;
  readonly tokens: readonly string[];
}

/** What the retailers tell of their purchases in a run, in the order in which those are authorized. */
export function paymentsOfRun({ seed, run, transactions, world, tokens }: PaidRun): DueRequest[] {
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

export interface Paying {
  /** Of the platform. */
  readonly url: string;
  readonly requests: readonly DueRequest[];
  /** New transactions that are expected. */
  readonly perSecond: number;
  /** Whether the first transaction is on its way: until then the load process makes its requests. */
  readonly begun: () => Promise<boolean>;
}

/**
 * Sends payments beside ingestion until it is told that that is over: sooner or later than their purchases by what the
 * rate differs from the one expected. The platform takes either half first.
 * @returns how to end it, waiting for the requests under way
 */
export function payAlong({ url, requests, perSecond, begun }: Paying): () => Promise<void> {
  const sender = new PaymentSender(url);
  const over = new AbortController();
  const { signal } = over;
  const send = async (): Promise<void> => {
    while (!signal.aborted && !(await begun())) await delay(POLL_MS, undefined, { signal }).catch(() => {});
    const startedMs = performance.now();
    await sender.sendAll(requests, async (at) => {
      const dueMs = startedMs + ((requests[at] as DueRequest).after / perSecond) * 1000;
      const waitMs = Math.max(0, dueMs - performance.now());
      await delay(waitMs, undefined, { signal }).catch(() => {});
      // A run may be so short that none was due: one request shows that payments find what there is.
      return at === 0 || !signal.aborted;
    });
  };
  const sending = send();
  // Whoever ends it hears of a failure.
  sending.catch(() => {});
  return async () => {
    over.abort();
    await sending;
    await sender.close();
  };
}
