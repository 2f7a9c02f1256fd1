import type { TransactionEvent } from "#contract";
import { SeededRandom } from "#domain";
import { isRefusal, type Outcome } from "./model.ts";
import type { ResolvedEntry } from "./prepare-run.ts";

export interface IngestRequest {
  readonly kind: "ingest";
  readonly events: readonly TransactionEvent[];
  /** What the model says becomes of each. */
  readonly outcomes: readonly Outcome[];
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
 * @param outcomes one for each entry of kind `event`, in their order
 */
export function planRequests(
  entries: readonly ResolvedEntry[],
  outcomes: readonly Outcome[],
  lanes: number,
): Lane[] {
  const random = new SeededRandom(SEED);
  const builders = Array.from({ length: lanes }, () => new LaneBuilder(random));
  const laneOf = new Map<string, LaneBuilder>();
  let turn = 0;
  const nextLane = () => builders[turn++ % lanes] as LaneBuilder;
  let event = 0;
  for (const entry of entries) {
    if (entry.kind === "malformed") {
      nextLane().addRequest(entry);
      continue;
    }
    const id = entry.event.external_id;
    const lane = laneOf.get(id) ?? nextLane();
    laneOf.set(id, lane);
    lane.addEvent(entry.event, outcomes[event++] as Outcome);
  }
  return builders.map((builder) => builder.finish());
}

/** Requests by when they are sent. */
interface PlannedSending {
  readonly first: readonly Lane[];
  /** Once everything of the first has come to rest. */
  readonly last: readonly Lane[];
}

/** As `planRequests`, but reversals of the held transactions, and what follows them, are sent last. */
export function planSending(
  entries: readonly ResolvedEntry[],
  outcomes: readonly Outcome[],
  lanes: number,
  heldIds: ReadonlySet<string>,
): PlannedSending {
  const first: { entries: ResolvedEntry[]; outcomes: Outcome[] } = { entries: [], outcomes: [] };
  const last: typeof first = { entries: [], outcomes: [] };
  const reverted = new Set<string>();
  let event = 0;
  for (const entry of entries) {
    if (entry.kind === "malformed") {
      first.entries.push(entry);
      continue;
    }
    const { external_id: id, reverted_at } = entry.event;
    if (reverted_at !== undefined && heldIds.has(id)) reverted.add(id);
    const part = reverted.has(id) ? last : first;
    part.entries.push(entry);
    part.outcomes.push(outcomes[event++] as Outcome);
  }
  return {
    first: planRequests(first.entries, first.outcomes, lanes),
    last: planRequests(last.entries, last.outcomes, lanes),
  };
}

interface Planned {
  readonly event: TransactionEvent;
  readonly outcome: Outcome;
}

class LaneBuilder {
  readonly #random: SeededRandom;
  readonly #requests: DemoRequest[] = [];
  #open: Planned[] = [];
  #size: number;
  /** Sent after the open request; so is whatever comes later of these transactions, or it would overtake them. */
  #aside: Planned[] = [];
  #asideIds = new Set<string>();
  #beside = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#size = pickSize(random);
  }

  addEvent(event: TransactionEvent, outcome: Outcome): void {
    if (isRefusal(outcome)) this.#beside = 1 + this.#random.between(0, BESIDE_REFUSED);
    if (this.#beside > 0 || this.#asideIds.has(event.external_id)) {
      this.#beside = Math.max(0, this.#beside - 1);
      this.#aside.push({ event, outcome });
      this.#asideIds.add(event.external_id);
      return;
    }
    this.#open.push({ event, outcome });
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

  #push(planned: readonly Planned[]): void {
    if (planned.length === 0) return;
    this.#requests.push({
      kind: "ingest",
      events: planned.map(({ event }) => event),
      outcomes: planned.map(({ outcome }) => outcome),
      respondAsync: this.#random.chance(ASYNC_SHARE),
    });
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
