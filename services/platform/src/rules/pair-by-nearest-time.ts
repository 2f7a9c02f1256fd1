import { addTo } from "#domain";

/**
 * How far apart a payment and a record may be, either way: 30 days (contract, section 8), in microseconds.
 */
export const PAIRING_WINDOW_MICROSECONDS = 30 * 24 * 60 * 60 * 1_000_000;

/** One side of a purchase: a retailer's payment, or a record that was routed to that retailer. */
export interface Half {
  /** Unique among all payments, or among all records; a retailer's `payment_id` is not. */
  readonly id: string;
  readonly retailerId: string;
  /**
   * A pair has one in common, or two if both sides have two: over six and over eight digits of the BIN. Two
   * cards that share six digits and differ in the eighth are two cards (contract, section 7).
   */
  readonly identifiers: readonly string[];
  /**
   * Of a payment, if given: the digits under each identifier, `6` or `8`, in their order. With several
   * networks there may be several of a length.
   */
  readonly binDigits?: string | null | undefined;
  /** `paid_at` or `authed_at`, in microseconds since 1970. The time of arrival does not matter. */
  readonly at: number;
}

export interface Pair {
  readonly paymentId: string;
  readonly recordId: string;
}

/** A half that looks for its other half. It has a place in each of its lines. */
interface Seeker {
  readonly half: Half;
  readonly isPayment: boolean;
  readonly places: Place[];
  paired: boolean;
}

/**
 * A place in a line. One line holds halves of one retailer, in the order of time; each payment in it matches
 * each record.
 */
interface Place {
  readonly seeker: Seeker;
  before: Place | undefined;
  after: Place | undefined;
}

interface Candidate {
  readonly payment: Seeker;
  readonly record: Seeker;
  readonly distance: number;
}

/**
 * Pairs payments and records of one retailer that match by their identifiers and are at most 30 days apart, each at most once. The
 * nearest pair of all comes first, then the nearest of the rest, and so on: no payment and record that could be a pair are both
 * nearer to each other than to the half they got. Time and id decide between equal distances, so the order of the arguments does
 * not matter.
 *
 * The nearest pair of a line always stands side by side in it, because between any payment and any record there is a place where
 * the kind changes. So only neighbours are compared, and n halves of one identifier take n log n steps. If all pairs were
 * compared, a retailer could stall the platform with one identifier.
 * @param payments a half that is given twice counts once
 * @returns the pairs, the nearest first
 */
export function pairByNearestTime(payments: Iterable<Half>, records: Iterable<Half>): Pair[] {
  const lines = new Map<string, Place[]>();
  const numbers: Numbers = { next: 0, byRetailer: new Map() };
  enlist(lines, numbers, payments, true);
  enlist(lines, numbers, records, false);

  const candidates = new PriorityQueue(compareCandidates);
  for (const line of lines.values()) link(line, candidates);
  const pairs: Pair[] = [];
  for (let next = candidates.pop(); next !== undefined; next = candidates.pop()) {
    const { payment, record } = next;
    // One of the two may have found a nearer half since, perhaps in the line of another identifier.
    if (payment.paired || record.paired) continue;
    pairs.push({ paymentId: payment.half.id, recordId: record.half.id });
    leave(payment, candidates);
    leave(record, candidates);
  }
  return pairs;
}

/**
 * Numbers for each retailer's identifiers, all different. They name the lines: identifiers are long, and a half with several stands
 * in many lines.
 */
interface Numbers {
  next: number;
  readonly byRetailer: Map<string, Map<string, number>>;
}

function enlist(
  lines: Map<string, Place[]>,
  numbers: Numbers,
  halves: Iterable<Half>,
  isPayment: boolean,
): void {
  const seen = new Set<string>();
  for (const half of halves) {
    if (seen.has(half.id)) continue;
    seen.add(half.id);
    const seeker: Seeker = { half, isPayment, places: [], paired: false };
    const own = numbersOf(numbers, half);
    for (const name of isPayment ? linesOfPayment(half, own) : linesOfRecord(own)) {
      const place: Place = { seeker, before: undefined, after: undefined };
      seeker.places.push(place);
      addTo(lines, name, place);
    }
  }
}

/** The numbers of a half's identifiers, in their order. */
function numbersOf(numbers: Numbers, { retailerId, identifiers }: Half): number[] {
  let known = numbers.byRetailer.get(retailerId);
  if (known === undefined) {
    known = new Map();
    numbers.byRetailer.set(retailerId, known);
  }
  const own: number[] = [];
  for (const identifier of identifiers) {
    let number = known.get(identifier);
    if (number === undefined) {
      number = numbers.next++;
      known.set(identifier, number);
    }
    own.push(number);
  }
  return own;
}

/*
 * The lines of a half, chosen so that a payment and a record share a line exactly if they match. A record has one identifier, over
 * six digits, or two. A half with one length matches every half with one of its identifiers; two halves with both lengths must
 * share two. So there are three kinds of lines: `payment <identifier>` for payments of one length and all records; `record
 * <identifier>` for records of one identifier and the other payments; and `both <two identifiers>`.
 */

/** If a payment does not give the lengths, any two identifiers may be the six and the eight of its card. */
function linesOfPayment({ binDigits }: Half, own: readonly number[]): Set<string> {
  const of = (digits: string) => own.filter((_, i) => binDigits?.[i] === digits);
  const [some, others] = binDigits == null ? [own, own] : [of("6"), of("8")];
  const isOfOneLength =
    binDigits == null ? new Set(own).size === 1 : some.length === 0 || others.length === 0;
  if (isOfOneLength) return new Set(own.map((one) => `payment ${one}`));
  const pairs = some.flatMap((one) =>
    others.filter((other) => other !== one).map((other) => both(one, other)),
  );
  return new Set([...own.map((one) => `record ${one}`), ...pairs]);
}

function linesOfRecord(numbers: readonly number[]): string[] {
  const own = [...new Set(numbers)];
  return own.flatMap((one, i) => [
    `payment ${one}`,
    ...(own.length === 1 ? [`record ${one}`] : []),
    ...own.slice(i + 1).map((other) => both(one, other)),
  ]);
}

const both = (one: number, other: number) => `both ${Math.min(one, other)} ${Math.max(one, other)}`;

function link(line: Place[], candidates: PriorityQueue<Candidate>): void {
  line.sort(comparePlaces);
  let before: Place | undefined;
  for (const place of line) {
    place.before = before;
    if (before !== undefined) {
      before.after = place;
      consider(before, place, candidates);
    }
    before = place;
  }
}

/** Removes a half from its lines; its neighbours become neighbours of each other. */
function leave(seeker: Seeker, candidates: PriorityQueue<Candidate>): void {
  seeker.paired = true;
  for (const { before, after } of seeker.places) {
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
    if (before !== undefined && after !== undefined) consider(before, after, candidates);
  }
}

function consider(a: Place, b: Place, candidates: PriorityQueue<Candidate>): void {
  if (a.seeker.isPayment === b.seeker.isPayment) return;
  const distance = b.seeker.half.at - a.seeker.half.at;
  if (distance > PAIRING_WINDOW_MICROSECONDS) return;
  const [payment, record] = a.seeker.isPayment ? [a.seeker, b.seeker] : [b.seeker, a.seeker];
  candidates.push({ payment, record, distance });
}

function comparePlaces({ seeker: a }: Place, { seeker: b }: Place): number {
  return (
    a.half.at - b.half.at || Number(a.isPayment) - Number(b.isPayment) || compareTexts(a.half.id, b.half.id)
  );
}

function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    a.distance - b.distance ||
    a.record.half.at - b.record.half.at ||
    a.payment.half.at - b.payment.half.at ||
    compareTexts(a.record.half.id, b.record.half.id) ||
    compareTexts(a.payment.half.id, b.payment.half.id)
  );
}

/** A binary heap: the first by `compare` comes out first. */
export class PriorityQueue<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #heap: T[] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  push(item: T): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as T;
      if (this.#compare(item, above) >= 0) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = item;
  }

  /** undefined when it is empty. */
  pop(): T | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item in the first place, and moves it down below all items that come before it. */
  #sink(item: T): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      if (left >= heap.length) break;
      const rightFirst = right < heap.length && this.#compare(heap[right] as T, heap[left] as T) < 0;
      const child = rightFirst ? right : left;
      if (this.#compare(heap[child] as T, item) >= 0) break;
      heap[at] = heap[child] as T;
      at = child;
    }
    heap[at] = item;
  }
}

/** Sorts by code units, as PostgreSQL sorts UUIDs: the machine's language must decide nothing. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
