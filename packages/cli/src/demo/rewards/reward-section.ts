import type { JudgedSection } from "../report.ts";
import type { Pair } from "../tally.ts";
import {
  type CardCount,
  countCard,
  type PlannedCard,
  type PlannedWallet,
  type RewardPlan,
} from "./reward-plan.ts";
import { isAsPlanned, type WalletRead } from "./wallets.ts";

const SHOWN_WALLETS = 5;

/** What the wallets and the platform's answers said, beside the demo's own count. */
export function judgeRewards(
  { wallets }: RewardPlan,
  reads: ReadonlyMap<PlannedWallet, WalletRead>,
  paymentsAccepted: Pair,
): JudgedSection {
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
  const differing = wallets.filter((wallet) => {
    const read = reads.get(wallet);
    return read === undefined || !isAsPlanned(wallet, read, false);
  });
  const all = [...reads.values()];
  return {
    section: {
      title: "rewards",
      source: "wallets",
      rows: [
        { name: "payments accepted, those sent twice too", ...paymentsAccepted },
        // Every redemption that stands holds a full card's stamps (contract, section 9).
        row("stamps", ({ unredeemed, redemptions }, card) => unredeemed + redemptions * thresholdOf(card)),
        row("not redeemed yet", ({ unredeemed }) => unredeemed, 1),
        row("redemptions", ({ redemptions }) => redemptions),
        row("clips redeemed", ({ clipsRedeemed }) => clipsRedeemed),
        cashbacks,
        row("pending", ({ pending }) => pending, 1),
        row("cleared", ({ cleared }) => cleared, 1),
        row("reverted", ({ reverted }) => reverted, 1),
        {
          name: "cashbacks of the right amount",
          expected: cashbacks.expected,
          actual: sum(all.map(({ worth }) => worth)),
        },
        {
          name: "wallets equal in every number",
          expected: wallets.length,
          actual: wallets.length - differing.length,
        },
      ],
    },
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
    const names = Object.keys(expected) as (keyof CardCount)[];
    return names
      .filter((name) => expected[name] !== actual[name])
      .map((name) => `${card.retailer.name} ${name} ${actual[name]} instead of ${expected[name]}`);
  });
  const strays = read?.strays ?? 0;
  if (strays > 0) parts.push(`${strays} that should not be there`);
  return `member ${ref} (${memberId}): ${parts.join(", ")}`;
}

const thresholdOf = ({ retailer }: PlannedCard): number => retailer.program.threshold;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
