import { SeededRandom } from "#domain";
import {
  makeCard,
  makeMerchants,
  makeTransaction,
  type SampleEvent,
  type SentEvent,
  type World,
} from "./sample-transaction.ts";

/** Events for one request that must be refused as a whole because one of them is malformed. */
export interface MalformedRequest {
  /** What is wrong, in words. */
  readonly malformed: string;
  /** JSON pointer into the request body that the answer must name. */
  readonly path: string;
  readonly events: readonly (Partial<SampleEvent> & { readonly external_id: string })[];
}

export type SampleEntry = SampleEvent | MalformedRequest;

export interface Sample {
  /** The members that exist. An event may name another ref: that member does not. */
  readonly refs: readonly string[];
  /** In the order in which they happen. */
  readonly entries: readonly SampleEntry[];
}

export function isMalformed(entry: SampleEntry): entry is MalformedRequest {
  return "malformed" in entry;
}

/** Change any of these and the sample is another one: a test holds it to its hash, since a run may be sent again later. */
const SEED = 20260105;
const EVENTS = 10_000;
const MEMBERS = 1000;
const STEP_MS = 190_000; // on average one authorization in so long: about two weeks in all

/**
 * The sample of the demo: the same at every call, on every machine, but for its times. It takes some 60 ms.
 * @param start of its first purchase, in milliseconds since 1970
 * @param events how many in all; tests take fewer
 */
export function generateSample(start: number, events: number = EVENTS): Sample {
  const random = new SeededRandom(SEED);
  const refs = Array.from({ length: MEMBERS }, (_, i) => `m${String(i + 1).padStart(4, "0")}`);
  const world: World = {
    refs,
    cards: new Map(refs.map((ref) => [ref, makeCard(random)])),
    merchants: makeMerchants(random),
  };
  const wanted = events - MALFORMED_REQUESTS * EVENTS_PER_MALFORMED_REQUEST;
  const sent = makeEvents(random, world, start, wanted);
  // Stable, so that events of one transaction sent at one instant keep their order.
  sent.sort((a, b) => a.sentAt - b.sentAt);
  const entries: SampleEntry[] = sent.map(({ event }) => event);
  insertMalformed(random, world, sent, entries);
  return { refs, entries };
}

/** Lives of transactions, one after the other; the last is cut where the number is reached. */
function makeEvents(random: SeededRandom, world: World, start: number, wanted: number): SentEvent[] {
  const sent: SentEvent[] = [];
  for (let at = start; sent.length < wanted; at += 1000 * random.between(1, (2 * STEP_MS) / 1000)) {
    sent.push(...makeTransaction(random, world, at).slice(0, wanted - sent.length));
  }
  return sent;
}

/** Spreads the malformed requests evenly over the stream; from the back, so that the places stay right. */
function insertMalformed(
  random: SeededRandom,
  world: World,
  sent: readonly SentEvent[],
  entries: SampleEntry[],
): void {
  for (let number = MALFORMED_REQUESTS - 1; number >= 0; number--) {
    const place = Math.floor(((number + 0.5) / MALFORMED_REQUESTS) * sent.length);
    const at = (sent[place] as SentEvent).sentAt;
    const events = Array.from({ length: EVENTS_PER_MALFORMED_REQUEST }, (_, i) => {
      return (makeTransaction(random, world, at + 1000 * i)[0] as SentEvent).event;
    });
    entries.splice(place, 0, makeMalformed(number, events));
  }
}

/**
 * A fault in words, the field that the answer must name (empty: the event as a whole), and how it is made. Between
 * them they break every rule of the schema once (contract, section 6).
 */
const FAULTS: ReadonlyArray<readonly [malformed: string, field: string, change: Record<string, unknown>]> = [
  ["no member", "ref", { ref: undefined }],
  ["no auth_code", "auth_code", { auth_code: undefined }],
  ["no authed_at", "authed_at", { authed_at: undefined }],
  ["a field nobody knows", "amonut", { amonut: 100 }],
  ["bin with letters", "bin", { bin: "4571736O" }],
  ["bin too long", "bin", { bin: "457173601" }],
  ["bin as a number", "bin", { bin: 457173 }],
  ["unknown network", "network", { network: "discover" }],
  ["negative amount", "amount", { amount: -1 }],
  ["fraction of a minor unit", "amount", { amount: 12.5 }],
  ["amount as text", "amount", { amount: "1250" }],
  ["retired currency", "currency", { currency: "DEM" }],
  ["timestamp without offset", "authed_at", { authed_at: "2026-01-05T10:00:00" }],
  ["30 February", "authed_at", { authed_at: "2026-02-30T10:00:00Z" }],
  ["merchant_id with a tab", "merchant_id", { merchant_id: "M1\t2" }],
  ["cleared and reverted", "", { cleared_at: "2026-01-06T10:00:00Z", reverted_at: "2026-01-07T10:00:00Z" }],
  [
    "card number in the descriptor",
    "statement_descriptor",
    { statement_descriptor: "CARD 4111 1111 1111 1111" },
  ],
  ["card number as auth_code", "auth_code", { auth_code: "4111-1111-1111-1111" }],
];

const MALFORMED_REQUESTS = FAULTS.length;
/** One malformed event between two good ones, which must not be stored either. */
const EVENTS_PER_MALFORMED_REQUEST = 3;

/** The request for fault `number`, out of three good events that are sent nowhere else. */
function makeMalformed(number: number, [before, broken, after]: SampleEvent[]): MalformedRequest {
  const [malformed, field, change] = FAULTS[number] as (typeof FAULTS)[number];
  const named = field === "ref" ? "member_id" : field;
  return {
    malformed,
    path: named === "" ? "/events/1" : `/events/1/${named}`,
    events: [before, JSON.parse(JSON.stringify({ ...broken, ...change })), after] as SampleEvent[],
  };
}
