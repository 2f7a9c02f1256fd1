import type { TransactionEvent } from "#contract";
import { SeededRandom } from "#domain";
import { isRefusal, type Outcomes } from "./model.ts";
import type { ResolvedEntry } from "./prepare-run.ts";

export interface IngestRequest {
  readonly kind: "ingest";
  readonly events: readonly TransactionEvent[];
  readonly respondAsync: boolean;
}

export type DemoRequest = IngestRequest | Extract<ResolvedEntry, { kind: "malformed" }>;

/** A connection's worth of requests, to be sent one after the other. */
export type Lane = readonly DemoRequest[];

const SEED = 7;
const LARGEST = 500;
/** Shares of requests by size: single events of a live feed, small batches, a nightly file. */
const SIZES: ReadonlyArray<readonly [share: number, least: number, most: number]> = [
  [0.35, 1, 5],
  [0.35, 6, 60],
  [0.3, 61, LARGEST],
];
const ASYNC_SHARE = 0.25;
/** How many events follow a refused one at most in its request, apart from those of the same transaction. */
const BESIDE_REFUSED = 2;
const LARGEST_ASIDE = 4;

/**
 * Spreads the entries over lanes and cuts each lane into requests. All events of one `external_id` take the same lane,
 * in their order. An answer about a refused event does not itemise the others of its request, so refused events travel
 * in small requests of their own.
 */
export function planRequests(entries: readonly ResolvedEntry[], outcomes: Outcomes, lanes: number): Lane[] {
  const random = new SeededRandom(SEED);
  const builders = Array.from({ length: lanes }, () => new LaneBuilder(random));
  const laneOf = new Map<string, LaneBuilder>();
  let turn = 0;
  const nextLane = () => builders[turn++ % lanes] as LaneBuilder;
  for (const entry of entries) {
    if (entry.kind === "malformed") {
      nextLane().addRequest(entry);
      continue;
    }
    const id = entry.event.external_id;
    const lane = laneOf.get(id) ?? nextLane();
    laneOf.set(id, lane);
    const outcome = outcomes.get(entry.event);
    lane.addEvent(entry.event, outcome !== undefined && isRefusal(outcome));
  }
  return builders.map((builder) => builder.finish());
}

/**
 * As `planRequests`, but reversals of the held transactions, and what follows them, are sent last: once everything of
 * the first part has come to rest.
 */
export function planSending(
  entries: readonly ResolvedEntry[],
  outcomes: Outcomes,
  lanes: number,
  heldIds: ReadonlySet<string>,
): { first: Lane[]; last: Lane[] } {
  const first: ResolvedEntry[] = [];
  const last: ResolvedEntry[] = [];
  const reverted = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "malformed") {
      first.push(entry);
      continue;
    }
    const { external_id: id, reverted_at } = entry.event;
    if (reverted_at !== undefined && heldIds.has(id)) reverted.add(id);
    (reverted.has(id) ? last : first).push(entry);
  }
  return { first: planRequests(first, outcomes, lanes), last: planRequests(last, outcomes, lanes) };
}

class LaneBuilder {
  readonly #random: SeededRandom;
  readonly #requests: DemoRequest[] = [];
  #open: TransactionEvent[] = [];
  #size: number;
  /** Sent after the open request; so is whatever comes later of these transactions, or it would overtake them. */
  #aside: TransactionEvent[] = [];
  #asideIds = new Set<string>();
  #beside = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#size = pickSize(random);
  }

  addEvent(event: TransactionEvent, isRefused: boolean): void {
    if (isRefused) this.#beside = 1 + this.#random.between(0, BESIDE_REFUSED);
    if (this.#beside > 0 || this.#asideIds.has(event.external_id)) {
      this.#beside = Math.max(0, this.#beside - 1);
      this.#aside.push(event);
      this.#asideIds.add(event.external_id);
      return;
    }
    this.#open.push(event);
    if (this.#open.length >= this.#size) this.#close();
  }

  addRequest(request: DemoRequest): void {
    this.#close();
    this.#requests.push(request);
  }

  finish(): Lane {
    this.#close();
    return this.#requests;
  }

  #close(): void {
    this.#push(this.#open);
    for (let start = 0; start < this.#aside.length; ) {
      const end = start + this.#random.between(1, LARGEST_ASIDE);
      this.#push(this.#aside.slice(start, end));
      start = end;
    }
    this.#open = [];
    this.#size = pickSize(this.#random);
    this.#aside = [];
    this.#asideIds = new Set();
    this.#beside = 0;
  }

  #push(events: readonly TransactionEvent[]): void {
    if (events.length === 0) return;
    this.#requests.push({ kind: "ingest", events, respondAsync: this.#random.chance(ASYNC_SHARE) });
  }
}

function pickSize(random: SeededRandom): number {
  let rest = random.next();
  for (const [share, least, most] of SIZES) {
    if (rest < share) return random.between(least, most);
    rest -= share;
  }
  return LARGEST;
}
