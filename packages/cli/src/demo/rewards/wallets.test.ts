import t from "tap";
import { disagreeing } from "../report.ts";
import { countCard, type PlannedWallet } from "./plan-rewards.ts";
import { planSample } from "./test-plan.ts";
import type { WalletRead } from "./wallets.ts";
import { judgeRewards } from "./wallets.ts";

const { plan } = planSample();
const accepted = { expected: 7, actual: 7 };

function asPlanned(wallet: PlannedWallet): WalletRead {
  const cards = wallet.cards.map((card) => countCard(card, false));
  const worth = cards.reduce((sum, { pending, cleared, reverted }) => sum + pending + cleared + reverted, 0);
  return { cards, worth, strays: 0 };
}
const allAsPlanned = () => new Map(plan.wallets.map((wallet) => [wallet, asPlanned(wallet)]));
const enrolled = plan.wallets.find(({ cards }) => cards.length > 0) as PlannedWallet;
const stranger = plan.wallets.find(({ cards }) => cards.length === 0) as PlannedWallet;

t.test("rewards - wallets as planned: nothing differs", async (t) => {
  const section = judgeRewards(plan, allAsPlanned(), accepted);
  t.strictSame(disagreeing([section]), []);
  t.strictSame(section.examples, []);
});

const wrong: ReadonlyArray<
  [string, PlannedWallet, (read: WalletRead) => WalletRead, row: string, example: RegExp | undefined]
> = [
  [
    "a stamp too many",
    enrolled,
    (read) => ({ ...read, cards: read.cards.map((card) => ({ ...card, unredeemed: card.unredeemed + 1 })) }),
    "stamps",
    /Demo Coffee unredeemed \d instead of \d/,
  ],
  [
    "an enrolment that nobody planned",
    stranger,
    (read) => ({ ...read, strays: 1 }),
    "wallets equal in every number",
    /1 that should not be there/,
  ],
  [
    "a cashback of another amount",
    enrolled,
    (read) => ({ ...read, worth: read.worth - 1 }),
    "cashbacks of the right amount",
    undefined,
  ],
];
for (const [what, wallet, damage, row, example] of wrong) {
  t.test(`rewards - ${what} is found`, async (t) => {
    const reads = allAsPlanned().set(wallet, damage(asPlanned(wallet)));
    const section = judgeRewards(plan, reads, accepted);
    t.ok(disagreeing([section]).some(({ name }) => name === row));
    if (example !== undefined) t.match(section.examples.join(), example);
    if (example !== undefined) t.match(section.examples.join(), wallet.memberId);
  });
}

t.test("rewards - a wallet that was never read is found", async (t) => {
  const reads = allAsPlanned();
  reads.delete(enrolled);
  t.ok(disagreeing([judgeRewards(plan, reads, accepted)]).length > 0);
});

t.test("rewards - a payment that was not accepted is found", async (t) => {
  const section = judgeRewards(plan, allAsPlanned(), { expected: 7, actual: 6 });
  t.strictSame(
    disagreeing([section]).map(({ expected, actual }) => [expected, actual]),
    [[7, 6]],
  );
});
