import { type Pair, type Section, sum } from "../report.ts";
import {
  type CardCount,
  countCard,
  type PlannedCard,
  type PlannedWallet,
  type RewardPlan,
} from "./reward-plan.ts";
import { differingCounts, isAsPlanned, type WalletRead } from "./wallets.ts";

const SHOWN_WALLETS = 5;

/** What the wallets and the platform's answers said, beside the demo's own count. */
export function judgeRewards(
  { wallets }: RewardPlan,
  reads: ReadonlyMap<PlannedWallet, WalletRead>,
  paymentsAccepted: Pair,
): Section {
  const cards = wallets.flatMap((wallet) =>
    wallet.cards.map((card, i) => ({
      card,
      expected: countCard(card, false),
      actual: reads.get(wallet)?.cards[i] ?? NOTHING,
    })),
  );
  const row = (name: string, count: (of: CardCount, card: PlannedCard) => number, indent = 0) => ({
    name,
    indent,
    expected: sum(cards.map(({ card, expected }) => count(expected, card))),
    actual: sum(cards.map(({ card, actual }) => count(actual, card))),
  });
  const cashbacks = row("cashbacks", ({ pending, cleared, reverted }) => pending + cleared + reverted);
  const worth = sum([...reads.values()].map((read) => read.worth));
  const differing = wallets.filter((wallet) => !isAsPlanned(wallet, reads.get(wallet), false));
  const equal = wallets.length - differing.length;
  return {
    title: "rewards",
    source: "wallets",
    rows: [
      { name: "payments accepted, those sent twice too", ...paymentsAccepted },
      // Every redemption that stands holds a full card's stamps (contract, section 9).
      row("stamps", (of, { retailer }) => of.unredeemed + of.redemptions * retailer.program.threshold),
      row("not redeemed yet", ({ unredeemed }) => unredeemed, 1),
      row("redemptions", ({ redemptions }) => redemptions),
      row("clips redeemed", ({ clipsRedeemed }) => clipsRedeemed),
      cashbacks,
      row("pending", ({ pending }) => pending, 1),
      row("cleared", ({ cleared }) => cleared, 1),
      row("reverted", ({ reverted }) => reverted, 1),
      { name: "cashbacks of the right amount", expected: cashbacks.expected, actual: worth },
      { name: "wallets equal in every number", expected: wallets.length, actual: equal },
    ],
    examples: differing.slice(0, SHOWN_WALLETS).map((wallet) => describe(wallet, reads.get(wallet))),
  };
}

const NOTHING: CardCount = {
  unredeemed: 0,
  redemptions: 0,
  pending: 0,
  cleared: 0,
  reverted: 0,
  clipsRedeemed: 0,
};

function describe({ ref, memberId, cards }: PlannedWallet, read: WalletRead | undefined): string {
  const parts = cards.flatMap((card, i) => {
    const expected = countCard(card, false);
    const actual = read?.cards[i] ?? NOTHING;
    return differingCounts(expected, actual).map(
      (name) => `${card.retailer.name} ${name} ${actual[name]} instead of ${expected[name]}`,
    );
  });
  const strays = read?.strays ?? 0;
  if (strays > 0) parts.push(`${strays} that should not be there`);
  return `member ${ref} (${memberId}): ${parts.join(", ")}`;
}
