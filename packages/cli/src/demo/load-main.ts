/**
 * The load of the demo, in a process of its own. It is an integrator's program, with the streaming client of
 * `packages/client`, and the software of the shop, which sends payments to the platform.
 */

import { PlatformClient, type PlatformRequestOf, StampedeClient } from "#client";
import type { TransactionEvent } from "#contract";
import { identifiersOf } from "../simulate/purchases.ts";
import { LoadMeter } from "./load-meter.ts";
import { authorizationOf, blockEvents, earns, lastEvents, NEW_IN_BLOCK } from "./load-plan.ts";
import type { FromLoad, LoadJob, LoadResult } from "./run-load.ts";

/** As most integrators would: the client's own default is 4. */
const REQUESTS_IN_FLIGHT = 8;
const REQUEST_EVENTS = 500;
/** No more than the requests in flight hold, so that the times include no queue before them. */
const BUFFERED = REQUESTS_IN_FLIGHT * REQUEST_EVENTS;
/** A person waits, and a killed process is back within seconds. */
const RETRY_FOR_MS = 30_000;
const SAMPLE_MS = 200;
const SAMPLES_A_SECOND = 5;
const PAY_EVERY_MS = 300;

type Payment = PlatformRequestOf<"payment/ingest">["payments"][number];

process.once("message", (job: LoadJob) => {
  void run(job).then(
    (result) => end({ kind: "done", result }),
    (error: Error) => end({ kind: "failed", message: error.message }),
  );
});
// The demo has ended.
process.once("disconnect", () => process.exit());

function tell(message: FromLoad): void {
  process.send?.(message);
}

function end(message: FromLoad): void {
  process.send?.(message, () => process.disconnect());
}

async function run(job: LoadJob): Promise<LoadResult> {
  const meter = new LoadMeter();
  const cashDesk = new CashDesk(job);
  let retries = 0;
  const client = new StampedeClient({
    baseUrl: job.publisherUrl,
    token: job.token,
    connections: REQUESTS_IN_FLIGHT,
  });
  const stream = client.stream({
    maxEvents: REQUEST_EVENTS,
    maxInFlight: REQUESTS_IN_FLIGHT,
    maxBuffered: BUFFERED,
    retryForMs: RETRY_FOR_MS,
    onOutcome: (event) => meter.told(event, performance.now()),
    onRetry: () => {
      retries++;
    },
  });
  const committed = () => stream.counts.created + stream.counts.updated + stream.counts.unchanged;
  let sent = 0;
  const give = async (event: TransactionEvent): Promise<void> => {
    meter.given(event, performance.now());
    sent++;
    await stream.write(event);
  };
  const stopSampling = startSampling(meter, committed);
  const endsAt = performance.now() + job.seconds * 1000;
  let blocks = 0;
  try {
    for (; performance.now() < endsAt; blocks++) {
      for (const event of blockEvents(job, blocks)) await give(event);
      const first = blocks * NEW_IN_BLOCK;
      if (earns(first)) cashDesk.take(authorizationOf(job, first));
    }
    for (const event of lastEvents(job, blocks)) await give(event);
    await client.close();
    const payments = await cashDesk.close();
    const { accepted, rejected } = stream.counts;
    const { longestPauseMs } = meter;
    return { blocks, sent, committed: committed(), accepted, rejected, payments, retries, longestPauseMs };
  } finally {
    stopSampling();
  }
}

/** Sends samples until the returned function is called. */
function startSampling(meter: LoadMeter, committed: () => number): () => void {
  const startedAt = performance.now();
  let samples = 0;
  const timer = setInterval(() => {
    samples++;
    const endsSecond = samples % SAMPLES_A_SECOND === 0;
    const now = performance.now();
    const sample = {
      seconds: (now - startedAt) / 1000,
      committed: committed(),
      lagMs: meter.lagMs(now),
      ...(endsSecond && { times: meter.takePercentiles() }),
      endsSecond,
    };
    tell({ kind: "sample", sample });
  }, SAMPLE_MS);
  return () => clearInterval(timer);
}

/** The shop's software. It identifies purchases by a hash (contract, section 7), and sends payments in batches. */
class CashDesk {
  readonly #client: PlatformClient;
  readonly #retailerId: string;
  readonly #timer: NodeJS.Timeout;
  #waiting: Payment[] = [];
  #accepted = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor({ platformUrl, platformToken, retailerId }: LoadJob) {
    this.#client = new PlatformClient({ baseUrl: platformUrl, token: platformToken });
    this.#retailerId = retailerId;
    this.#timer = setInterval(() => this.#send(), PAY_EVERY_MS);
  }

  /** This purchase is paid. */
  take(event: TransactionEvent): void {
    const { external_id, amount = 0, currency = "EUR", authed_at } = event;
    this.#waiting.push({
      payment_id: external_id,
      identifiers: identifiersOf(event),
      amount,
      currency,
      paid_at: authed_at,
    });
  }

  /** Sends the last payments. @returns how many payments the platform took */
  async close(): Promise<number> {
    clearInterval(this.#timer);
    this.#send();
    try {
      await this.#sending;
      return this.#accepted;
    } finally {
      await this.#client.close();
    }
  }

  /** One request after the other; `close` throws the first failure. */
  #send(): void {
    const payments = this.#waiting;
    if (payments.length === 0) return;
    this.#waiting = [];
    const sending = this.#sending.then(async () => {
      const request = { retailer_id: this.#retailerId, payments };
      this.#accepted += (await this.#client.call("payment/ingest", request)).accepted;
    });
    sending.catch(() => {});
    this.#sending = sending;
  }
}
