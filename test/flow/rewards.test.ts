import t from "tap";
import { readDeadLetters, redrive } from "#nats/dead-letters";
import { readStream } from "#test-support";
import { FIXED, REVERTED, RewardScene } from "./reward-scene.ts";

/**
 * Wrong messages of the platform and of ingest, as a running rewards reads them. The tests beside `services/rewards` say what
 * it decides on right ones; `states-and-transitions.test.ts` shows this in the whole loop.
 */
t.setTimeout(400_000);

t.test("outcomes and settlements that are wrong, or that the database refuses", async (t) => {
  const scene = await RewardScene.open(t);

  const member = await scene.member();
  const card = await scene.card(member, { ...FIXED, qualifying_threshold: 10 });
  const [A, B, C, D] = await scene.buySix(member);

  await t.test("wrong outcomes among good ones, and messages that are no outcomes", async (t) => {
    const wrong = { ...scene.stamp(C, card), purchase_amount: -1 };
    const sequence = await scene.link.sendRaw(
      JSON.stringify({ v: 1, outcomes: [scene.stamp(A, card), wrong, scene.stamp(B, card)] }),
    );
    const unreadable = await scene.link.sendRaw("{");
    const invalid = await scene.link.sendRaw(JSON.stringify({ v: 2, outcomes: [wrong] }));
    await scene.rest();
    t.equal(await scene.counter(card), 2);
    const letters = await readStream<{ sequence: number }>(scene.pipeline, "DEAD");
    const from = { hop: "OUTCOMES", partition: 0 };
    t.strictSame(
      letters.sort((a, b) => a.sequence - b.sequence),
      [
        { reason: "invalid_outcome", sequence, ...from, outcome: wrong },
        { reason: "unreadable_message", sequence: unreadable, ...from },
        { reason: "invalid_message", sequence: invalid, ...from },
      ],
    );
    t.match(scene.rewards.output(), /"path":"\/purchase_amount","message":"must be at least 0"/);
    t.equal(await scene.count("invalid"), 1);
  });

  await t.test(
    "an outcome that the database refuses dies alone, and is applied once the cause is mended",
    async (t) => {
      const { store } = scene.pipeline;
      await store`
      alter table qualifying_purchases add constraint test_refuses check (purchase_amount <> 666) not valid`;
      await scene.link.send(
        scene.stamp(C, card, { purchase_amount: 666 }),
        scene.stamp(D, card, { purchase_amount: 667 }),
      );
      await scene.rest();
      t.equal(await scene.counter(card), 3);
      t.equal(await scene.count("refused"), 1);
      await store`alter table qualifying_purchases drop constraint test_refuses`;
      for await (const stored of readDeadLetters(scene.link.stream)) {
        const { reason, error } = stored.letter;
        if (reason !== "refused_by_database") continue;
        t.equal(error, "23514");
        t.ok(await redrive(scene.link.stream, stored, 1));
      }
      await scene.rest();
      t.equal(await scene.counter(card), 4);
    },
  );

  await t.test("a settlement that the database refuses is kept, and can be put back", async (t) => {
    const { store } = scene.pipeline;
    await store`alter table qualifying_purchases add constraint test_refuses check (voided_at is null) not valid`;
    await scene.change(A, REVERTED);
    await scene.rest();
    t.equal(await scene.counter(card), 4);
    await store`alter table qualifying_purchases drop constraint test_refuses`;
    const letters: string[] = [];
    for await (const stored of readDeadLetters(scene.link.stream)) {
      if (stored.letter.hop !== "SETTLEMENT") continue;
      letters.push(stored.letter.reason);
      t.match(stored.letter.settlement, { state: "reverted" });
      t.ok(await redrive(scene.link.stream, stored, 1));
    }
    t.strictSame(letters, ["refused_by_database"]);
    await scene.rest();
    t.equal(await scene.counter(card), 3);
  });

  await t.test("an outcome too large for a letter does not stay in the way", async (t) => {
    const huge = { ...scene.stamp(A, card), outcome_id: 1, note: "x".repeat(1024 * 1024 - 1000) };
    const sequence = await scene.link.sendRaw(JSON.stringify({ v: 1, outcomes: [huge] }));
    await scene.rest();
    const letters = await readStream<{ sequence: number; outcome?: unknown }>(scene.pipeline, "DEAD");
    const letter = letters.find((one) => one.sequence === sequence);
    t.match(letter, { reason: "invalid_outcome", hop: "OUTCOMES" });
    t.equal(letter?.outcome, undefined);
  });
});
