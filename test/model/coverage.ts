/** The table of cases that histories must contain: a cell that never occurred fails a long run. */
import type { Wallet } from "./wallet.ts";

const KINDS = [
  "retailer",
  "program",
  "deal",
  "member",
  "member-deletion",
  "memberbase-deletion",
  "enrolment",
  "clip",
  "event",
  "payment",
] as const;

export const pairCell = (first: string, second: string): string => `${first}, then ${second}`;

const PAIRS = KINDS.flatMap((first) => KINDS.map((second) => pairCell(first, second))).filter(
  // A history deletes one memberbase at most.
  (pair) => pair !== pairCell("memberbase-deletion", "memberbase-deletion"),
);

const OPTIONS = [
  "rules: confirmation none",
  "rules: confirmation retailer",
  "rules: currency",
  "rules: min_amount",
  "rules: paid_after",
  "rules: paid_before",
  "rules: retroactive false",
  "rules: retroactive true",
  "rules: statement_descriptor",
  "starts_at",
  "ends_at",
  "fixed",
  "percent, no maximum",
  "percent, maximum 0",
  "percent, maximum 25",
  "refund",
  "fixed-reward, currency of the rules",
  "fixed-reward, currency of the purchase",
  ...[1, 2, 3, 5].map((threshold) => `threshold ${threshold}`),
  ...["program", "deal", "retailer"].flatMap((kind) => [`${kind} revised`, `${kind} deleted`]),
  "retailer with the shared merchant id",
  "retailer without the shared merchant id",
  "retailer made later",
  "settled with another descriptor",
  "payment with six digits",
  "payment with six digits of two networks",
  "payment with six and eight digits",
  "payment sent again with another amount",
  "made again with the same card after a reversal",
  "amount known, currency known",
  "amount known, currency unknown",
  "amount unknown, currency known",
  "amount unknown, currency unknown",
  ...["now", "since the start", "45 s back", "90 s back", "1 h back"].map((time) => `authorized ${time}`),
  "authorized 7 to 29 days back",
  "authorized 31 to 40 days back",
  ...["clear", "revert", "fill", "same", "bin", "member", "card"].map((kind) => `again: ${kind}`),
];

const SETTLED_ANEW = "refund of a purchase that settled for another amount";
const KNOWN_LATER = "refund whose amount came later";

const BY_ONE_THAT_IS_GONE = "card under the threshold of a stamp that counts no more";

const STATES = [
  SETTLED_ANEW,
  KNOWN_LATER,
  BY_ONE_THAT_IS_GONE,
  ...["created", "updated", "unchanged", "not_found", "invalid_transition", "identity_mismatch"].map(
    (fate) => `answer ${fate}`,
  ),
  ...["live", "redeemed", "voided", "voided and redeemed"].map((state) => `stamp ${state}`),
  ...["standing", "undone"].map((state) => `redemption ${state}`),
  ...["pending", "cleared"].map((state) => `cashback of a redemption ${state}`),
  ...["pending", "cleared", "reverted"].map((state) => `cashback of a clip ${state}`),
];

export const CELLS: readonly string[] = [...OPTIONS, ...PAIRS, ...STATES];

/** Counts the states in which a history ended, by the model. */
export function countStates(model: Wallet, count: (cell: string) => void): void {
  for (const fate of model.fates.values()) count(`answer ${fate}`);
  countCards(model, count);
  for (const { source, state, purchase } of model.cashbacks) {
    count(`cashback of a ${source.kind === "clip" ? "clip" : "redemption"} ${state}`);
    const stamping = model.stampings.find((one) => one.card === source && one.purchase === purchase);
    if (stamping?.program.reward_config.type !== "refund" || stamping.paid !== undefined) continue;
    const [first, ...later] = purchase.worth.map(({ amount }) => amount);
    if (first === undefined) count(KNOWN_LATER);
    else if (later.some((amount) => amount !== first)) count(SETTLED_ANEW);
  }
}

function countCards({ cards }: Wallet, count: (cell: string) => void): void {
  for (const { live, standing, undone, voided, newest } of cards.values()) {
    const threshold = live.at(-1)?.program.qualifying_threshold;
    if (threshold !== undefined && threshold !== newest?.program.qualifying_threshold)
      count(BY_ONE_THAT_IS_GONE);
    for (const _ of live) count("stamp live");
    for (const _ of undone) count("redemption undone");
    for (const _ of voided) count("stamp voided");
    for (const { stamps } of standing) {
      count("redemption standing");
      for (const { purchase } of stamps) {
        count(voided.has(purchase) ? "stamp voided and redeemed" : "stamp redeemed");
      }
    }
  }
}
