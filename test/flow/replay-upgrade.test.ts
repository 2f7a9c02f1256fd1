/**
 * An upgrade with full streams, from a version whose streams kept no finished message, and back. The test
 * imitates that version's remains, and its way of reading the two hops without an order: no places in the
 * database, and streams that are read from their first message.
 */
import t from "tap";
import { freePort } from "#embedded";
import { makeEvent, type ServiceName, waitFor } from "#test-support";
import { LoyaltyLoop, type Purchase } from "./loyalty-loop.ts";

t.setTimeout(300_000);

const READERS: readonly ServiceName[] = ["ingest", "platform", "rewards"];
const BACKLOG = 60;

t.test(
  "replay window - an upgrade with full streams, and back: every event is there once, and no loss is reported",
  async (t) => {
    // With a window of 0 ingest drops finished messages at once, as that version did.
    // A fixed port: retailers find the platform again.
    const env = { STAMPEDE_REPLAY_MINUTES: "0", STAMPEDE_PLATFORM_PORT: `${await freePort()}` };
    const loop = await LoyaltyLoop.open(t, { env });
    const { pipeline, integrator } = loop;
    await loop.opensShop("Roastery", "ROASTERY-1");
    const program = await loop.offers("loyalty-program", {
      name: "Every hundredth coffee",
      qualifying_threshold: 100,
      reward_config: { type: "fixed-reward", amount: 300 },
      rules: { merchant_ids: ["ROASTERY-1"], currency: "EUR" },
    });
    const ada = await loop.joins("ada");
    const card = await loop.enrols(ada, program);
    const drinks = async (name: string): Promise<Purchase> => {
      const purchase = await loop.buys(ada, name, { merchant_id: "ROASTERY-1" });
      await loop.paid(purchase);
      return purchase;
    };
    await drinks("before");
    await loop.settles();

    const readers = () =>
      [...pipeline.processes].filter(({ service }) => READERS.some((one) => one === service));
    const restart = async (minutes: string) => {
      await Promise.all(readers().map((one) => one.stop()));
      await pipeline.store`delete from stream_places`;
      await pipeline.store`delete from platform.stream_places`;
      await pipeline.store`update ingest_positions set server_started = null, replay_through = null, replay_since = null`;
      const sent = Array.from({ length: BACKLOG }, () => makeEvent(ada, { merchant_id: "ROASTERY-1" }));
      for (const event of sent) {
        t.equal((await integrator.ingest([event], { prefer: "respond-async" })).status, 202);
      }
      const started = await Promise.all(
        READERS.map((service) => pipeline.start(service, { STAMPEDE_REPLAY_MINUTES: minutes })),
      );
      const stored = async () => {
        const [{ count }] = await pipeline.store<[{ count: number }]>`
        select count(*)::int as count from transactions
        where external_id = any (${sent.map(({ external_id }) => external_id)})`;
        return count;
      };
      await waitFor(async () => (await stored()) === BACKLOG, { message: "what waited is not applied" });
      await loop.settles();
      for (const { output } of started) t.notMatch(output(), /are gone|reading what the stream has/);
    };
    const facts = () => pipeline.store`
    select external_id, state, updated_at, (select count(*)::int from qualifying_purchases q where q.transaction_id = t.id) as stamps
    from transactions t order by external_id`;

    await restart("60");
    t.equal(await loop.counter(card), 1);
    await drinks("kept");
    await loop.settles();
    t.equal(await loop.counter(card), 2);
    const before = await facts();
    await restart("0");
    const known = new Set(before.map(({ external_id }) => external_id));
    t.strictSame(
      (await facts()).filter(({ external_id }) => known.has(external_id)),
      before,
      "the messages that the streams had kept are read again, and change nothing",
    );
    t.equal(await loop.counter(card), 2);
    await drinks("after");
    await loop.settles();
    t.equal(await loop.counter(card), 3);
  },
);
