import t from "tap";
import { CLEARED_AT } from "#test-support";
import { LoyaltyLoop } from "./loyalty-loop.ts";

t.setTimeout(400_000);

/**
 * The story that the whole project is about, told over HTTP by its people: a roastery, the platform, and the
 * app in which Ada has her stamp card.
 */
t.test("five coffees, one refunded before the fifth, a sixth, and the free one settles", async (t) => {
  const loop = await LoyaltyLoop.open(t);

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
  await loop.changes(second, { reverted_at: "2026-03-01T11:00:00Z" });
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
      source: { type: "loyalty-program-redemption", loyalty_program_id: program, stamp_collection_id: card },
    },
  ]);

  // The sixth clears, and the money is Ada's. The other coffees clear too, which changes nothing.
  for (const one of [first, third, fourth, fifth, sixth]) {
    await loop.changes(one, { cleared_at: CLEARED_AT });
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
});
