import { FLOW } from "#contract";
import type { OutcomeMessage } from "#contract/platform";
import { readPartitions, streamName } from "#nats";
import type { Store } from "#postgres";
import { Installation } from "../kit/installation.ts";
import { middle } from "../kit/timeline.ts";
import { type Usage, watchService } from "../kit/usage.ts";
import { waitUntil } from "../kit/wait-until.ts";
import type { RewardsArena, RewardsOptions } from "./options.ts";
import {
  configurePlatform,
  expectRecords,
  fillHalves,
  identifiersOf,
  outcomesOf,
  recordMessages,
  retailerToken,
  type StoredSpec,
} from "./stored-halves.ts";
import { type Pace, publishPacked, whenDone } from "./stream-messages.ts";
import { isQueueEmpty, type PaymentRequest, PaymentSender } from "./whole-loop.ts";

export interface Platform {
  readonly halves: number;
  readonly records: Pace & { readonly usage: Usage };
  readonly payments: {
    readonly count: number;
    readonly perSecond: number;
    /** Milliseconds of a request, the median. */
    readonly answerMs: number;
    /** Seconds after the last answer until the last outcome was published. */
    readonly publishedSeconds: number;
    readonly usage: Usage;
  };
  readonly faults: readonly string[];
}

/** A platform with millions of halves takes records from a full stream, then payments over HTTP. */
export async function measurePlatform(arena: RewardsArena): Promise<Platform> {
  const { options, say } = arena;
  const { seed, halves, retailers } = options;
  const spec: StoredSpec = { seed, perSide: Math.floor(halves / 2), retailers };
  const installation = await Installation.open(arena.servers);
  try {
    const { store, stream } = installation;
    await configurePlatform(store, spec);
    await fillHalves(store, spec, say);
    const messages = recordMessages(spec, options.records);
    await publishPacked(stream, FLOW.platformTransactions, messages);
    const requests = paymentRequests(spec, options);
    say("platform: vacuum");
    await installation.settle();
    say(`platform: ${options.records} records`);
    const service = await installation.start("platform");
    const records = await watchService(service, () => whenDone(service, FLOW.platformTransactions, messages));
    await store.script("checkpoint");
    say("platform: payments");
    const sender = new PaymentSender(service.url as string);
    const payments = await watchService(service, () => sendTimed(sender, requests, store));
    await sender.close();
    await installation.stopServices();
    say("platform: verifying");
    const faults = await findFaults(installation, spec, options);
    return { halves, records, payments, faults };
  } finally {
    await installation.close();
  }
}

async function sendTimed(sender: PaymentSender, requests: readonly PaymentRequest[], store: Store) {
  const startedMs = performance.now();
  const spent = await sender.sendAll(requests);
  const endedMs = performance.now();
  await waitUntil(() => isQueueEmpty(store), "outcomes are not published");
  const count = requests.reduce((sum, { payments }) => sum + payments, 0);
  return {
    count,
    perSecond: count / ((endedMs - startedMs) / 1000),
    answerMs: middle(spent),
    publishedSeconds: (performance.now() - endedMs) / 1000,
  };
}

/** Each payment is for one retailer, for every second of its stored records. */
function paidNumbers({ retailers }: StoredSpec, { perRequest }: RewardsOptions, request: number): number[] {
  const retailer = request % retailers;
  const before = Math.floor(request / retailers) * perRequest;
  return Array.from({ length: perRequest }, (_, i) => retailer + retailers * 2 * (before + i));
}

function paymentRequests(spec: StoredSpec, options: RewardsOptions): PaymentRequest[] {
  const paidAt = new Date().toISOString();
  return Array.from({ length: options.requests }, (_, request) => {
    const payments = paidNumbers(spec, options, request).map((number) => ({
      payment_id: `T-${number}`,
      identifiers: identifiersOf("record", number),
      amount: 100 + (number % 20_000),
      currency: "EUR",
      paid_at: paidAt,
    }));
    const token = retailerToken(spec, request % spec.retailers);
    return { token, body: JSON.stringify({ payments }), payments: payments.length };
  });
}

async function findFaults(
  installation: Installation,
  spec: StoredSpec,
  options: RewardsOptions,
): Promise<string[]> {
  const { store } = installation;
  const { routed, paired } = expectRecords(options.records);
  const paid = Array.from({ length: options.requests }, (_, i) => paidNumbers(spec, options, i)).flat();
  const outcomes = paired + paid.reduce((sum, number) => sum + outcomesOf(number), 0);
  const deals = paid.filter((number) => outcomesOf(number) > 1).length;
  const [stored] = await store<[Record<string, number>]>`
    select
      (select count(*) from platform.records) as records,
      (select count(*) from platform.payments) as payments,
      (
        select count(*) from platform.records r join platform.payments p
        on p.id = r.payment_id and p.transaction_id = r.transaction_id
        where r.payment_id is not null and not r.is_open and not p.is_open
      ) as pairs,
      (select count(*) from platform.records where is_open) as "open records",
      (select count(*) from platform.payments where is_open) as "open payments",
      (select count(distinct transaction_id) from platform.open_records) as "records with keys",
      (select count(distinct payment_id) from platform.open_payments) as "payments with keys",
      (select coalesce(sum(cardinality(outcomes)), 0)::bigint from platform.records) as "ids of outcomes"`;
  const openRecords = spec.perSide + routed - paired - paid.length;
  const openPayments = spec.perSide - paired;
  const expected: Record<string, number> = {
    records: spec.perSide + routed,
    payments: spec.perSide + paid.length,
    pairs: paired + paid.length,
    "open records": openRecords,
    "open payments": openPayments,
    "records with keys": openRecords,
    "payments with keys": openPayments,
    // An outcome of a deal also has the id of its clip.
    "ids of outcomes": outcomes + deals,
    "outcomes published": outcomes,
  };
  const found: Record<string, number> = {
    ...stored,
    "outcomes published": await countPublished(installation),
  };
  return Object.keys(expected)
    .filter((name) => found[name] !== expected[name])
    .map((name) => `${name}: ${found[name]}, not ${expected[name]}`);
}

/**
 * Outcomes in the streams, each counted once: a busy machine may answer a publication too late, and then it
 * is repeated.
 */
async function countPublished({ stream }: Installation): Promise<number> {
  const ids = new Set<string>();
  for (let partition = 0; partition < (await readPartitions(stream)); partition++) {
    const name = streamName(stream, FLOW.outcomes, partition);
    const { state } = await stream.manager.streams.info(name);
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
      const message = await stream.manager.streams.getMessage(name, { seq });
      const outcomes = message?.json<OutcomeMessage>().outcomes ?? [];
      for (const { outcome_id } of outcomes) ids.add(outcome_id);
    }
  }
  return ids.size;
}
