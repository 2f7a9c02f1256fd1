import type { TransactionEvent } from "#client";
import { mix, seededUuid } from "../kit/random.ts";
import { type RequestBytes, requestMaker } from "../kit/requests.ts";
import { AUTHORIZED, CLEARED, type LanePlan, planLane, type WorkloadSpec } from "./workload.ts";
import { EPOCH_MS, type World } from "./world.ts";

const NETWORKS = ["visa", "mastercard", "amex", "other"] as const;
const CURRENCIES = ["EUR", "EUR", "EUR", "USD", "GBP", "SEK"] as const;
/** Runs are hours apart in time, so that their ids never meet and never sort between each other. */
const RUN_MS = 6 * 3_600_000;
const HOUR_MS = 3_600_000;
/** 20 000 purchases a second of the workload's own time. */
const TRANSACTIONS_PER_MS = 20;

/** A transaction of the workload: all its events have the same fields. */
interface BenchTransaction {
  readonly externalId: string;
  readonly member: number;
  readonly authCode: string;
  readonly network: (typeof NETWORKS)[number];
  /** Eight digits, or six for one in four. */
  readonly bin: string;
  readonly merchantId: string;
  readonly statementDescriptor: string;
  readonly amount: number;
  /** The amount at which it is cleared or reverted: tips are added. */
  readonly settledAmount: number;
  readonly currency: string;
  readonly authedAtMs: number;
}

/** The earliest `external_id` of a run with this number; those of all earlier runs sort before it. */
export function firstExternalId(run: number): string {
  return `${(EPOCH_MS + run * RUN_MS)
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-")}`;
}

export function describeTransaction(
  seed: number,
  run: number,
  number: number,
  members: number,
): BenchTransaction {
  const a = mix(seed + 21 + run, number);
  const b = mix(seed + 22 + run, number);
  const ms = EPOCH_MS + run * RUN_MS + Math.floor(number / TRANSACTIONS_PER_MS);
  const bin = String(40_000_000 + (b % 15_000_000));
  const amount = 100 + (a % 20_000);
  return {
    externalId: seededUuid(ms, seed + run, number),
    member: mix(seed + 23 + run, number) % members,
    authCode: (a % 2_176_782_336).toString(36).toUpperCase().padStart(6, "0").slice(-6),
    network: NETWORKS[b & 3] as (typeof NETWORKS)[number],
    bin: (b & 12) === 0 ? bin.slice(0, 6) : bin,
    merchantId: `MID-${100_000 + (b % 5_000)}`,
    statementDescriptor: `SHOP ${b % 5_000} BERLIN DE`,
    amount,
    settledAmount: amount + (a % 3) * 50,
    currency: CURRENCIES[a % CURRENCIES.length] as string,
    authedAtMs: ms,
  };
}

/**
 * One event as JSON, written by hand: nothing in it needs escaping, and this is five times as fast as
 * JSON.stringify.
 */
function eventText(world: World, transaction: BenchTransaction, state: number): string {
  const { authedAtMs } = transaction;
  const amount = state === AUTHORIZED ? transaction.amount : transaction.settledAmount;
  const settledAt = state === AUTHORIZED ? "" : isoTime(authedAtMs + HOUR_MS);
  const settled =
    state === AUTHORIZED ? "" : `,"${state === CLEARED ? "cleared_at" : "reverted_at"}":"${settledAt}"`;
  return `{"member_id":"${world.memberTypeIds[transaction.member]}","external_id":"${transaction.externalId}",\
"auth_code":"${transaction.authCode}","network":"${transaction.network}","bin":"${transaction.bin}",\
"merchant_id":"${transaction.merchantId}","statement_descriptor":"${transaction.statementDescriptor}",\
"amount":${amount},"currency":"${transaction.currency}","authed_at":"${isoTime(authedAtMs)}"${settled}}`;
}

/** The same event as an object. */
export function eventOf(spec: WorkloadSpec, plan: LanePlan, at: number, world: World): TransactionEvent {
  const number = plan.transactions[at] as number;
  const state = plan.states[at] as number;
  const transaction = describeTransaction(spec.seed, spec.run, number, world.memberIds.length);
  const { authedAtMs } = transaction;
  const event: TransactionEvent = {
    member_id: world.memberTypeIds[transaction.member] as string,
    external_id: transaction.externalId,
    auth_code: transaction.authCode,
    network: transaction.network,
    bin: transaction.bin,
    merchant_id: transaction.merchantId,
    statement_descriptor: transaction.statementDescriptor,
    amount: state === AUTHORIZED ? transaction.amount : transaction.settledAmount,
    currency: transaction.currency,
    authed_at: isoTime(authedAtMs),
  };
  if (state === CLEARED) event.cleared_at = isoTime(authedAtMs + HOUR_MS);
  else if (state !== AUTHORIZED) event.reverted_at = isoTime(authedAtMs + HOUR_MS);
  return event;
}

const ISO_CACHE = 4_096;
const isoTimes = new Map<number, string>();

/** Many transactions share a millisecond. */
function isoTime(ms: number): string {
  const known = isoTimes.get(ms);
  if (known !== undefined) return known;
  if (isoTimes.size >= ISO_CACHE) isoTimes.clear();
  const text = new Date(ms).toISOString();
  isoTimes.set(ms, text);
  return text;
}

export interface Target {
  readonly url: string;
  readonly world: World;
  /** `prefer: respond-async`: the answer comes as soon as the events are queued. */
  readonly async: boolean;
}

export const INGEST_PATH = "/publisher.v1/transaction/ingest";

/** All requests of a lane. */
export function renderLane(spec: WorkloadSpec, lane: number, target: Target): RequestBytes[] {
  return [...laneRequests(spec, lane, target)];
}

/** The same one by one, if they need not all exist together. */
export function* laneRequests(
  spec: WorkloadSpec,
  lane: number,
  target: Target,
): Generator<RequestBytes, void> {
  const plan = planLane(spec, lane);
  const { url, async, world } = target;
  const make = requestMaker({ url, path: INGEST_PATH, token: world.token, async });
  for (let request = 0; request < spec.requestsPerLane; request++)
    yield make(requestBody(spec, plan, request, world));
}

/** `{"events": […]}` of one request. */
export function requestBody(spec: WorkloadSpec, plan: LanePlan, request: number, world: World): string {
  const events: string[] = [];
  for (let at = request * spec.size; at < (request + 1) * spec.size; at++) {
    const number = plan.transactions[at] as number;
    const transaction = describeTransaction(spec.seed, spec.run, number, world.memberIds.length);
    events.push(eventText(world, transaction, plan.states[at] as number));
  }
  return `{"events":[${events.join(",")}]}`;
}
