import t from "tap";
import type { TransactionEvent } from "#contract";
import { transactionIdentifiers } from "#domain";
import { LoyaltyLoop, type Purchase } from "./loyalty-loop.ts";

/**
 * Every row of the tables in interface.md, "States and transitions", over HTTP on both ends: what the integrator
 * sends to `publisher.v1` and the retailer to `platform.v1`, and what `publisher.v1` and the stored events say of it.
 * `access.test.ts` has the rows of API tokens. `packages/domain/src/lifecycle.test.ts` has the table itself, cell by cell,
 * and `services/ingest/src/batch/apply-events.test.ts` compares the SQL with it.
 */
t.setTimeout(400_000);

const CLEARED = { cleared_at: "2026-03-02T10:00:00Z" };
const REVERTED = { reverted_at: "2026-03-03T10:00:00Z" };
const SHOP = "SHOP-1";

let loop: LoyaltyLoop;
/** Two stamps are 3.00 EUR; the deal gives back a tenth of 4.50 EUR. */
let program: string;
let deal: string;

t.before(async () => {
  loop = await LoyaltyLoop.open(t);
  await loop.opensShop("Shop", SHOP);
  const rules = { merchant_ids: [SHOP] };
  const reward_config = { type: "fixed-reward", amount: 300 };
  program = await loop.offers("loyalty-program", {
    name: "Two",
    qualifying_threshold: 2,
    reward_config,
    rules,
  });
  deal = await loop.offers("deal", {
    name: "Tenth",
    reward_config: { type: "percent", percent: 10 },
    rules,
  });
});

/** A member who is enrolled in the program and has saved the deal. */
async function customer() {
  const member = await loop.joins("customer");
  const card = await loop.enrols(member, program);
  await loop.saves(member, deal);
  const buys = (name: string, changes: Partial<TransactionEvent> = {}) =>
    loop.buys(member, name, { merchant_id: SHOP, ...changes });
  return { member, card, buys };
}

/** The stamps' events apart from the cashbacks': the order of the two outcomes is open. */
async function toldOf(...purchases: readonly Purchase[]) {
  const told = await loop.told(...purchases);
  return {
    stamps: told.filter((line) => line.startsWith("qualifying_purchase.")),
    cashbacks: told.filter((line) => line.startsWith("cashback.")),
  };
}

function identifiersOf({ event: { auth_code, network, bin, merchant_id } }: Purchase): string[] {
  const { six, eight } = transactionIdentifiers({
    authCode: auth_code,
    network,
    bin,
    merchantId: merchant_id,
  });
  return eight === null ? [six] : [six, eight];
}

interface Row {
  readonly name: string;
  /** The dates of the first event, and of the later ones. */
  readonly first: Dates;
  readonly later?: Dates;
  readonly state: string;
  /** Events of the purchase in order, of stamps and of cashbacks. */
  readonly stamps: readonly string[];
  readonly cashbacks: readonly string[];
  /** The state of its one cashback; none if it has none. */
  readonly reward?: string;
}

type Dates = Partial<Pick<TransactionEvent, "cleared_at" | "reverted_at">>;

const STAMPED = "qualifying_purchase.created A 1";
const GIVEN = "cashback.created A 45 EUR (clip)";
const SETTLED = [GIVEN, "cashback.cleared A 45 EUR (clip)"];

const ROWS: readonly Row[] = [
  {
    name: "none, event with authed_at only: authorized",
    first: {},
    state: "authorized",
    stamps: [STAMPED],
    cashbacks: [GIVEN],
    reward: "pending",
  },
  {
    name: "none, event with authed_at and cleared_at: cleared, accepted in one submission",
    first: CLEARED,
    state: "cleared",
    stamps: [STAMPED],
    cashbacks: SETTLED,
    reward: "cleared",
  },
  {
    name: "none, event with authed_at and reverted_at: reverted, accepted in one submission; it earns nothing",
    first: REVERTED,
    state: "reverted",
    stamps: [],
    cashbacks: [],
  },
  {
    name: "authorized, resubmitted with cleared_at: cleared, a matched cashback settles, the stamp stays",
    first: {},
    later: CLEARED,
    state: "cleared",
    stamps: [STAMPED],
    cashbacks: SETTLED,
    reward: "cleared",
  },
  {
    name: "authorized, resubmitted with reverted_at: reverted, cashback and stamp go",
    first: {},
    later: REVERTED,
    state: "reverted",
    stamps: [STAMPED, "qualifying_purchase.voided A 0"],
    cashbacks: [GIVEN, "cashback.reverted A 45 EUR (clip)"],
    reward: "reverted",
  },
];

/** All rows take a step, and then wait once for the whole loop: each such wait takes long. */
t.test("transaction lifecycle", async (t) => {
  const bought = await Promise.all(
    ROWS.map(async (row) => {
      const { buys, ...rest } = await customer();
      return { row, ...rest, A: await buys("A", { bin: "41111122", ...row.first }) };
    }),
  );
  const all = async (act: (one: (typeof bought)[number]) => Promise<unknown>): Promise<void> => {
    await Promise.all(bought.map(act));
    await loop.settles();
  };
  await all(async ({ A }) => {
    t.match(await loop.transaction(A), { identifiers: identifiersOf(A) });
  });
  for (const { row, A } of bought) {
    t.equal((await loop.transaction(A)).state, stateOf(row.first), row.name);
    t.strictSame(await loop.told(A), [], "routed is not matched");
  }
  await all(({ A }) => loop.paid(A));
  for (const { row, A } of bought) {
    if (stateOf(row.first) === "authorized")
      t.match((await loop.transaction(A)).rewards, [pending()], row.name);
  }
  await all(async ({ row, A }) => row.later && loop.changes(A, row.later));

  const saidOf = async ({ A, card, member }: (typeof bought)[number]) => ({
    transaction: await loop.transaction(A),
    counter: await loop.counter(card),
    told: await toldOf(A),
    listed: (await loop.publisher("transaction/list", { member_id: member })).data.length,
  });
  const before = await Promise.all(bought.map(saidOf));
  for (const [i, { row, member }] of bought.entries()) {
    await t.test(row.name, async (t) => {
      const { transaction, counter, told, listed } = before[i] as (typeof before)[number];
      t.equal(transaction.state, row.state);
      const { reward } = row;
      t.match(transaction.rewards, reward === undefined ? [] : [{ ...pending(), state: reward }]);
      t.equal(transaction.rewards.length, row.reward === undefined ? 0 : 1);
      t.strictSame(told, { stamps: row.stamps, cashbacks: row.cashbacks });
      t.equal(counter, row.state === "reverted" ? 0 : 1);
      t.equal(listed, 1);
      const [clip] = (await loop.publisher("wallet.clip/list", { member_id: member })).data;
      if (reward === undefined) t.notOk(clip.redeemed_at, "the clip is still to be used");
    });
  }

  await t.test("an identical event resubmitted, or an older one: no duplicate of anything", async (t) => {
    for (const { row, A } of bought) {
      const now = { ...A.event, ...row.later };
      const events = [now, now, A.event, { ...A.event, cleared_at: undefined, reverted_at: undefined }];
      t.match(
        await loop.integrator.ingest(events as TransactionEvent[]),
        { status: 200, body: { created: 0, updated: 0, unchanged: 4 } },
        row.name,
      );
    }
    await all(({ A }) => loop.paid(A));
    t.strictSame(await Promise.all(bought.map(saidOf)), before);
  });

  await t.test(
    "cleared with reverted_at, reverted with cleared_at: an error, and nothing changes",
    async (t) => {
      for (const { row, A } of bought) {
        const { state: from, name } = row;
        if (from === "authorized") continue;
        const [to, dates] =
          from === "cleared" ? (["reverted", REVERTED] as const) : (["cleared", CLEARED] as const);
        const { cleared_at: _, reverted_at: __, ...event } = A.event;
        const answer = await loop.integrator.ingest([{ ...event, ...dates }]);
        t.equal(answer.status, 409, name);
        t.match(answer.body.error, { code: "conflict", data: { reason: "invalid_transition" } });
        t.match(answer.body.error.data.rejected, [{ external_id: event.external_id, from, to }]);
      }
      await loop.settles();
      t.strictSame(await Promise.all(bought.map(saidOf)), before);
    },
  );
});

/** The cashback of the deal, before its purchase settles. */
const pending = () => ({ state: "pending", amount: 45, source: { deal_id: deal } });

const stateOf = ({ cleared_at, reverted_at }: Dates): string =>
  cleared_at ? "cleared" : reverted_at ? "reverted" : "authorized";

/**
 * The rows of the counter in one story, the one that the whole project is about: a roastery, the platform, and the app in
 * which Ada has her stamp card.
 */
t.test(
  "stamp collection counter: five coffees, one refunded before the fifth, a sixth, and the free one settles",
  async (t) => {
    // The platform knows the roastery by its merchant id, and every fifth coffee there is free.
    await loop.opensShop("Roastery", "ROASTERY-1");
    const program = await loop.offers("loyalty-program", {
      name: "Every fifth coffee",
      qualifying_threshold: 5,
      reward_config: { type: "refund" },
      rules: { merchant_ids: ["ROASTERY-1"] },
    });

    // Ada joins, and gets her card.
    const ada = await loop.joins("ada");
    const card = await loop.enrols(ada, program);
    const coffee = (name: string, amount = 450) =>
      loop.buys(ada, name, { merchant_id: "ROASTERY-1", amount, currency: "EUR" });

    // Four coffees. No event says whether it counts: the roastery's till reports its payments, and the platform
    // pairs the two.
    const first = await coffee("first");
    const second = await coffee("second");
    const third = await coffee("third");
    const fourth = await coffee("fourth");
    for (const [i, one] of [first, second, third, fourth].entries()) {
      await loop.paid(one);
      await loop.settles();
      t.equal(await loop.counter(card), i + 1);
    }

    // The second was cold, and is refunded: its stamp is gone.
    await loop.changes(second, REVERTED);
    await loop.settles();
    t.equal(await loop.counter(card), 3);

    // So the fifth coffee is only the fourth stamp.
    const fifth = await coffee("fifth");
    await loop.paid(fifth);
    await loop.settles();
    t.equal(await loop.counter(card), 4);
    t.strictSame((await loop.publisher("wallet.cashback/list", { member_id: ada })).data, []);

    // The sixth is a large one, and it is free. A new card begins.
    const sixth = await coffee("sixth", 520);
    await loop.paid(sixth);
    await loop.settles();
    t.equal(await loop.counter(card), 0);
    t.match((await loop.transaction(sixth)).rewards, [
      {
        state: "pending",
        amount: 520,
        currency: "EUR",
        source: {
          type: "loyalty-program-redemption",
          loyalty_program_id: program,
          stamp_collection_id: card,
        },
      },
    ]);

    // The sixth clears, and the money is Ada's. The other coffees clear too, which changes nothing.
    for (const one of [first, third, fourth, fifth, sixth]) {
      await loop.changes(one, CLEARED);
    }
    await loop.settles();
    t.match((await loop.publisher("wallet.cashback/list", { member_id: ada })).data, [
      { transaction_ref: sixth.event.external_id, state: "cleared", amount: 520, currency: "EUR" },
    ]);

    // The next coffee is the first of a new card.
    const seventh = await coffee("seventh");
    await loop.paid(seventh);
    await loop.settles();
    t.equal(await loop.counter(card), 1);

    // The explanation shows every stamp of the card, and the redemption.
    const name = new Map(
      Object.entries({ first, second, third, fourth, fifth, sixth, seventh }).map(([word, { event }]) => [
        event.external_id,
        word,
      ]),
    );
    const stampsOf = (stamps: Array<{ transaction_ref: string; state: string }>) =>
      stamps.map(({ transaction_ref, state }) => `${name.get(transaction_ref)} ${state}`);
    const stamps = (await loop.publisher("qualifying-purchase/list", { stamp_collection_id: card })).data;
    t.strictSame(stampsOf(stamps), [
      "first redeemed",
      "second voided",
      "third redeemed",
      "fourth redeemed",
      "fifth redeemed",
      "sixth redeemed",
      "seventh live",
    ]);
    t.match(stamps[1], { voided_at: String, transaction: { state: "reverted", merchant_id: "ROASTERY-1" } });
    const [redemption, ...others] = (await loop.publisher("wallet.redemption/list", { member_id: ada })).data;
    t.strictSame(others, []);
    t.match(redemption, {
      state: "standing",
      loyalty_program_id: program,
      stamp_collection_id: card,
      transaction_ref: sixth.event.external_id,
      stamps_total: 5,
      cashback: { state: "cleared", amount: 520, currency: "EUR" },
    });
    t.strictSame(
      stampsOf(redemption.stamps),
      stampsOf(stamps).filter((line) => line.endsWith("redeemed")),
    );

    // Ada's app receives these events.
    t.strictSame(await loop.told(first, second, third, fourth, fifth, sixth, seventh), [
      "qualifying_purchase.created first 1",
      "qualifying_purchase.created second 2",
      "qualifying_purchase.created third 3",
      "qualifying_purchase.created fourth 4",
      "qualifying_purchase.voided second 3",
      "qualifying_purchase.created fifth 4",
      "qualifying_purchase.created sixth 5",
      "cashback.created sixth 520 EUR (redemption)",
      "cashback.cleared sixth 520 EUR (redemption)",
      "qualifying_purchase.created seventh 1",
    ]);
  },
);
