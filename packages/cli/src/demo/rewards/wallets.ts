import type { Answer, StampedeClient } from "#client";
import { inLanes } from "../in-lanes.ts";
import { readUntil } from "../read-until.ts";
import { type Pair, type Section, sum } from "../report.ts";
import {
  type CardCount,
  countCard,
  type PlannedCard,
  type PlannedWallet,
  type RewardPlan,
  worthOf,
} from "./plan-rewards.ts";
import { type ConfiguredRetailers, CURRENCY } from "./retailers.ts";

/** Enrols the members in the programs of their cards, and saves their clips. Their memberbase is new, so nothing is there. */
export async function openWallets(
  client: StampedeClient,
  wallets: readonly PlannedWallet[],
  retailers: ConfiguredRetailers,
  lanes: number,
): Promise<void> {
  await inLanes(spread(wallets, lanes), async ({ memberId, cards }) => {
    for (const { retailer, clipped } of cards) {
      const found = retailers.get(retailer);
      if (found === undefined) continue;
      await client.call("wallet.stamp-collection/create", {
        loyalty_program_id: found.programId,
        member_id: memberId,
      });
      if (clipped) await client.call("wallet.clip/save", { deal_id: found.dealId, member_id: memberId });
    }
  });
}

/** Deals the items out to the lanes in turn. */
function spread<T>(items: readonly T[], lanes: number): T[][] {
  return Array.from({ length: lanes }, (_, lane) => items.filter((_, i) => i % lanes === lane));
}

/** Whether the wallets of a run that is sent again were opened then: it may have had no platform. */
export async function hasOpenWallets(
  client: StampedeClient,
  wallets: readonly PlannedWallet[],
): Promise<boolean> {
  const enrolled = wallets.find(({ cards }) => cards.length > 0);
  if (enrolled === undefined) return false;
  const { data } = await client.call("wallet.stamp-collection/list", { member_id: enrolled.memberId });
  return data.length > 0;
}

type Cashback = Answer<"wallet.cashback/list">["data"][number];

export interface WalletRead {
  /** One a card of the plan. */
  readonly cards: readonly CardCount[];
  /** Cashbacks that are worth what their program or deal says of their purchase. */
  readonly worth: number;
  /** Enrolments, clips and cashbacks that the plan does not have. */
  readonly strays: number;
}

/** Reads what a member has. More than one page is far more than the plan has, so the first one tells. */
async function readWallet(
  client: StampedeClient,
  { memberId, cards }: PlannedWallet,
  retailers: ConfiguredRetailers,
): Promise<WalletRead> {
  const member = { member_id: memberId };
  const collections = (await client.call("wallet.stamp-collection/list", member)).data;
  const cashbacks = (await client.call("wallet.cashback/list", member)).data;
  const clips = cards.some(({ clipped }) => clipped)
    ? (await client.call("wallet.clip/list", member)).data
    : [];
  let strays = collections.length + clips.length + cashbacks.length;
  let worth = 0;
  const counts = cards.map((card): CardCount => {
    const found = retailers.get(card.retailer);
    const enrolments = collections.filter(({ loyalty_program_id: id }) => id === found?.programId);
    const ofProgram = cashbacks.filter(({ source }) => sourceId(source) === found?.programId);
    const ofDeal = cashbacks.filter(({ source }) => sourceId(source) === found?.dealId);
    const own = [...ofProgram, ...ofDeal];
    const ofClip = clips.filter(({ deal_id }) => deal_id === found?.dealId);
    strays -= enrolments.length + own.length + ofClip.length;
    worth += own.filter((cashback) => isWorthIt(card, cashback)).length;
    const inState = (state: Cashback["state"]) => own.filter((cashback) => cashback.state === state).length;
    return {
      unredeemed: sum(enrolments.map(({ unredeemed_purchases }) => unredeemed_purchases)),
      redemptions: new Set(ofProgram.filter(({ state }) => state !== "reverted").map(redemptionId)).size,
      pending: inState("pending"),
      cleared: inState("cleared"),
      reverted: inState("reverted"),
      clipsRedeemed: ofClip.filter(({ redeemed_at }) => redeemed_at !== undefined).length,
    };
  });
  return { cards: counts, worth, strays };
}

function isWorthIt(card: PlannedCard, { transaction_ref, source, amount, currency }: Cashback): boolean {
  const purchase = card.purchases.find(({ externalId }) => externalId === transaction_ref);
  if (purchase === undefined || currency !== CURRENCY) return false;
  return amount === worthOf(card, source.type === "clip" ? "deal" : "program", purchase);
}

function sourceId(source: Cashback["source"]): string {
  return source.type === "clip" ? source.deal_id : source.loyalty_program_id;
}

function redemptionId({ source }: Cashback): string | undefined {
  return source.type === "clip" ? undefined : (source.redemption_id ?? undefined);
}

/**
 * Reads wallets until each is as the plan says, or until the deadline; one that is so is not asked for again.
 * @returns as each was read last
 */
export async function awaitWallets(
  client: StampedeClient,
  wallets: readonly PlannedWallet[],
  retailers: ConfiguredRetailers,
  beforeReversals: boolean,
  { forMs, lanes }: { readonly forMs: number; readonly lanes: number },
): Promise<ReadonlyMap<PlannedWallet, WalletRead>> {
  const reads = new Map<PlannedWallet, WalletRead>();
  let open = wallets;
  const readOpen = async () => {
    await inLanes(spread(open, lanes), async (wallet) => {
      reads.set(wallet, await readWallet(client, wallet, retailers));
    });
    open = open.filter((wallet) => !isAsPlanned(wallet, reads.get(wallet), beforeReversals));
    return open.length;
  };
  await readUntil(readOpen, (left) => left === 0, { forMs, everyMs: 100 });
  return reads;
}

/** @param beforeReversals as it is then, though a card of a run that is sent again may be past them */
function isAsPlanned(
  { cards }: PlannedWallet,
  read: WalletRead | undefined,
  beforeReversals: boolean,
): boolean {
  const isDone = (card: PlannedCard, i: number) => {
    const isAs = (before: boolean) => differingCounts(countCard(card, before), read?.cards[i]).length === 0;
    return isAs(false) || (beforeReversals && isAs(true));
  };
  return read?.strays === 0 && cards.every(isDone);
}

/** The numbers in which a card is not as it should be: all of them if it was never read. */
function differingCounts(expected: CardCount, actual: CardCount | undefined): (keyof CardCount)[] {
  const names = Object.keys(expected) as (keyof CardCount)[];
  return names.filter((name) => expected[name] !== actual?.[name]);
}

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
