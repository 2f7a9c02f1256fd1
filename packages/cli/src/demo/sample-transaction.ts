import type { TransactionEvent } from "#contract";
import type { Network, SeededRandom } from "#domain";

/** A transaction event whose member is named by `ref`: ids differ from installation to installation. */
export type SampleEvent = Omit<TransactionEvent, "member_id"> & { readonly ref: string };

/** An event and when the publisher sends it, in milliseconds since 1970. */
export interface SentEvent {
  readonly sentAt: number;
  readonly event: SampleEvent;
}

export interface World {
  readonly refs: readonly string[];
  readonly cards: ReadonlyMap<string, Card>;
  readonly merchants: readonly Merchant[];
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const CODE_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789";
const HEX = "0123456789abcdef";

/**
 * The life of one transaction as its publisher reports it, the publisher's mistakes included.
 * @param at milliseconds since 1970, a whole second
 */
export function makeTransaction(random: SeededRandom, world: World, at: number): SentEvent[] {
  const merchant = random.pick(world.merchants);
  const first = firstEvent(random, world, merchant, at);
  const sent: SentEvent[] = [{ sentAt: at, event: first }];
  const say = (afterMs: number, event: SampleEvent) => sent.push({ sentAt: at + afterMs, event });

  if (random.chance(0.004)) {
    // Reported before its member was: refused. Half of the time the publisher mends it.
    sent[0] = { sentAt: at, event: { ...first, ref: `nobody-${random.text(HEX, 4)}` } };
    if (random.chance(0.5)) say(soon(random), first);
    return sent;
  }
  const settled = settle(random, first, merchant, at);
  if (settled !== undefined) say(settled.afterMs, settled.event);
  if (random.chance(0.06)) say(soon(random), first);
  if (settled !== undefined && random.chance(0.08)) say(settled.afterMs + soon(random), settled.event);
  if (first.amount === undefined && random.chance(0.4))
    say(soon(random), withAmount(random, first, merchant));
  const last = settled?.event ?? first;
  const lastAfterMs = settled?.afterMs ?? 0;
  if (last.cleared_at !== undefined && random.chance(0.03)) {
    const { cleared_at: _, ...rest } = last;
    say(lastAfterMs + later(random), { ...rest, reverted_at: utc(at + lastAfterMs + HOUR_MS) });
  }
  if (last.reverted_at !== undefined && random.chance(0.15)) {
    const { reverted_at: _, ...rest } = last;
    say(lastAfterMs + later(random), { ...rest, cleared_at: utc(at + lastAfterMs + HOUR_MS) });
  }
  if (random.chance(0.004)) say(later(random), { ...last, ref: random.pick(world.refs) });
  if (random.chance(0.004)) say(later(random), { ...last, auth_code: random.text(CODE_ALPHABET, 6) });
  return sent;
}

function firstEvent(random: SeededRandom, world: World, merchant: Merchant, at: number): SampleEvent {
  const ref = random.pick(world.refs);
  // Now and then the member has a new card.
  const card = random.chance(0.9) ? (world.cards.get(ref) as Card) : makeCard(random);
  const settledAtOnce = random.next();
  return {
    external_id: timeSortableId(random, at),
    ref,
    auth_code: random.text(CODE_ALPHABET, 6),
    network: card.network,
    bin: card.bin.slice(0, random.pick([6, 6, 7, 8, 8, 8, 8, 8])),
    merchant_id: merchant.merchantId,
    authed_at: timestamp(random, at),
    ...(random.chance(0.9) && { amount: makeAmount(random), currency: merchant.currency }),
    ...(random.chance(0.6) && { statement_descriptor: merchant.statementDescriptor }),
    ...(settledAtOnce < 0.06 && { cleared_at: utc(at + 2 * SECOND_MS) }),
    ...(settledAtOnce > 0.98 && { reverted_at: utc(at + 5 * SECOND_MS) }),
  };
}

/** The clearing or reversal of an authorization that is still open, if one follows. */
function settle(
  random: SeededRandom,
  first: SampleEvent,
  merchant: Merchant,
  at: number,
): { afterMs: number; event: SampleEvent } | undefined {
  if (first.cleared_at !== undefined || first.reverted_at !== undefined || random.chance(0.42))
    return undefined;
  // Some settle within seconds: authorization and clearing then travel in one request.
  const afterMs = random.chance(0.1) ? random.between(1, 20) * SECOND_MS : later(random);
  if (random.chance(0.12)) return { afterMs, event: { ...first, reverted_at: utc(at + afterMs) } };
  const cleared: SampleEvent = { ...first, cleared_at: utc(at + afterMs) };
  // A tip or the day's exchange rate; an acquirer that writes codes in small letters; a descriptor known only now.
  if (random.chance(0.15)) return { afterMs, event: withAmount(random, cleared, merchant) };
  if (random.chance(0.05))
    return { afterMs, event: { ...cleared, auth_code: first.auth_code.toLowerCase() } };
  if (random.chance(0.1)) {
    return { afterMs, event: { ...cleared, statement_descriptor: merchant.statementDescriptor } };
  }
  return { afterMs, event: cleared };
}

function withAmount(random: SeededRandom, event: SampleEvent, merchant: Merchant): SampleEvent {
  return { ...event, amount: makeAmount(random), currency: merchant.currency };
}

/** Minor units: many small purchases, few large ones. */
function makeAmount(random: SeededRandom): number {
  return 150 + Math.floor(random.between(1, 120) * random.between(1, 120));
}

const soon = (random: SeededRandom): number => random.between(1, 600) * SECOND_MS;
const later = (random: SeededRandom): number => random.between(10, 72 * 60) * MINUTE_MS;
const utc = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");

/** The same instant as publishers write it: mostly UTC in seconds, some with a fraction, some with an offset. */
function timestamp(random: SeededRandom, at: number): string {
  if (random.chance(0.05)) return utc(at).replace("Z", `.${random.text("0123456789", 6)}Z`);
  if (random.chance(0.05)) return utc(at + 2 * HOUR_MS).replace("Z", "+02:00");
  return utc(at);
}

/** A UUIDv7 of that time, its random bits from the seed. */
function timeSortableId(random: SeededRandom, at: number): string {
  const time = at.toString(16).padStart(12, "0");
  const bits = (length: number) => random.text(HEX, length);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits(3)}-${random.pick([..."89ab"])}${bits(3)}-${bits(12)}`;
}

interface Merchant {
  readonly merchantId: string;
  readonly statementDescriptor: string;
  readonly currency: string;
}

interface Card {
  readonly network: Network;
  /** Eight digits. */
  readonly bin: string;
}

const MERCHANTS = 80;
const BINS: ReadonlyArray<readonly [Network, readonly string[]]> = [
  ["visa", ["45717360", "41782301", "49160043", "40248907"]],
  ["mastercard", ["51672214", "54133300", "22234567"]],
  ["amex", ["37828224", "34567812"]],
  ["other", ["60119876", "35301113"]],
];
/** Most cards are of the first two networks. */
const NETWORK_SHARES = [0, 0, 0, 0, 0, 1, 1, 1, 2, 3];
const FIRST_WORDS = "BLUE GREEN OLD LITTLE NORTH HARBOUR GOLDEN SUNNY CITY RIVER".split(" ");
const SECOND_WORDS = "HERON MILL LANTERN ORCHARD ANCHOR BRIDGE FOX STATION GARDEN".split(" ");
const TRADES = "CAFE BAKERY BOOKS GROCER PHARMACY CYCLES RECORDS HOTEL".split(" ");
/** Most merchants are paid in euros. */
const CURRENCIES = "EUR EUR EUR EUR EUR GBP SEK USD JPY".split(" ");
const DIGITS = "0123456789";

export function makeMerchants(random: SeededRandom): Merchant[] {
  return Array.from({ length: MERCHANTS }, () => ({
    merchantId: `M${random.text(DIGITS, 7)}`,
    statementDescriptor: [FIRST_WORDS, SECOND_WORDS, TRADES].map((words) => random.pick(words)).join(" "),
    currency: random.pick(CURRENCIES),
  }));
}

export function makeCard(random: SeededRandom): Card {
  const [network, bins] = BINS[random.pick(NETWORK_SHARES)] as (typeof BINS)[number];
  return { network, bin: random.pick(bins) };
}
