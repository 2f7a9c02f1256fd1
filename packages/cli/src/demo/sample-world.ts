import type { Network, SeededRandom } from "#domain";

export interface Merchant {
  readonly merchantId: string;
  readonly statementDescriptor: string;
  readonly currency: string;
}

export interface Card {
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
const FIRST_WORDS = [
  "BLUE",
  "GREEN",
  "OLD",
  "LITTLE",
  "NORTH",
  "HARBOUR",
  "GOLDEN",
  "SUNNY",
  "CITY",
  "RIVER",
];
const SECOND_WORDS = ["HERON", "MILL", "LANTERN", "ORCHARD", "ANCHOR", "BRIDGE", "FOX", "STATION", "GARDEN"];
const TRADES = ["CAFE", "BAKERY", "BOOKS", "GROCER", "PHARMACY", "CYCLES", "RECORDS", "HOTEL"];
const CURRENCIES = ["EUR", "EUR", "EUR", "EUR", "EUR", "GBP", "SEK", "USD", "JPY"];
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
