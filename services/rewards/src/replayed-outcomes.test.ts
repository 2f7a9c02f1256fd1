import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import t from "tap";
import { encodeId } from "#domain";
import { connectStream } from "#nats";
import { closeStore, connectStore, ExpectedWait, type Store } from "#postgres";
import { createLog, createRegistry, MetricFactory } from "#runtime";
import { isolation, type TestMember, testServers, waitFor, waitForLocks } from "#test-support";
import { createOutcomeHandler, createSettlementHandler } from "./handle-rewards.ts";
import { createRewardMetrics } from "./metrics.ts";
import { retryCandidates, startRetrying } from "./retry-outcomes.ts";
import { settledUpTo } from "./store/as-of.ts";
import {
  settle,
  testClip,
  testCollection,
  testMembers,
  testProgramOf,
  testTransactions,
} from "./store/test-batch.ts";

/**
 * Compares the rewards of a history as it happened with those after a restore of the database: then all
 * transactions have their final state before the first outcome comes. `FC_SEED` repeats a run.
 */
const SEED = Number(process.env.FC_SEED ?? 20261127);
const RUNS = Number(process.env.FC_RUNS ?? 25);
const PURCHASES = 6;
/** When the stream stored the first message of a history, in milliseconds. */
const BEGAN_AT = Date.UTC(2026, 10, 27);

type Fact =
  | { readonly do: "stamp" | "clip"; readonly purchase: number }
  | { readonly do: "clear" | "revert"; readonly purchase: number };

let store: Store;
let tell: ReturnType<typeof handlers>;

function handlers(parts: Omit<Parameters<typeof createOutcomeHandler>[0], "metrics" | "isReplayed">) {
  const metrics = createRewardMetrics(new MetricFactory(createRegistry("test", "0")));
  let replayedThrough = 0;
  let server = 1;
  let isRestoring = false;
  const noteServer = () => {
    const noted = server;
    if (isRestoring) server++;
    return async () => {
      if (server !== noted) throw new Error("another server");
    };
  };
  const outcomes = createOutcomeHandler({
    ...parts,
    metrics: metrics.outcomes,
    noteServer,
    isReplayed: ({ sequence }) => sequence > 0 && sequence <= replayedThrough,
  });
  const settlements = createSettlementHandler({ ...parts, metrics: metrics.settlements, noteServer });
  const replay = (through: number) => {
    replayedThrough = through;
  };
  /** Another server starts after a handler has begun and before its transaction. */
  const whileRestoring = async (work: () => Promise<void>) => {
    isRestoring = true;
    await work().finally(() => {
      isRestoring = false;
    });
  };
  return { outcomes, settlements, replay, whileRestoring };
}

t.before(async () => {
  const servers = await testServers();
  store = connectStore({ url: await servers.databaseUrl(), max: 4, applicationName: "test" });
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: servers.natsUrl, name: "test", prefix: isolation(), log });
  tell = handlers({ store, stream, now: () => new Date(), log });
  t.teardown(async () => {
    await stream.close();
    await closeStore(store);
  });
});

/** One member with a card of `threshold` stamps, and a clip. Message `i` of a history is number `i + 1` of its stream. */
class Scene {
  readonly #member: TestMember;
  readonly #card: string;
  readonly #clip: string;
  readonly #ids: readonly string[];

  static async make(threshold: number): Promise<Scene> {
    const [member] = (await testMembers(store, 1)) as [TestMember];
    const card = await testCollection(store, member, await testProgramOf(store, threshold, 300));
    const clip = await testClip(store, member);
    await store`update clips set created_at = '2000-01-01' where id = ${clip}`;
    await store`update stamp_collections set created_at = '2000-01-01' where id = ${card}`;
    const ids = await testTransactions(store, member, PURCHASES);
    // The time of authorization decides which purchase may have a clip.
    for (const [i, id] of ids.entries()) {
      await store`update transactions set authed_at = authed_at + ${i} * interval '1 hour' where id = ${id}`;
    }
    return new Scene(member, card, clip, ids);
  }

  private constructor(member: TestMember, card: string, clip: string, ids: readonly string[]) {
    this.#member = member;
    this.#card = card;
    this.#clip = clip;
    this.#ids = ids;
  }

  /** As it happened: each message is handled immediately, and so is everything that follows from it. */
  async live(facts: readonly Fact[], from = 0, until = facts.length): Promise<void> {
    tell.replay(from);
    for (let i = from; i < until; i++) {
      const fact = facts[i] as Fact;
      if (fact.do === "stamp" || fact.do === "clip") await tell.outcomes([this.#message(fact, i)]);
      else if (await this.#settle(fact, null)) await this.settlements([fact.purchase]);
    }
  }

  /** Handles the outcomes of a history, cut into batches after these. */
  async outcomes(facts: readonly Fact[], ends: readonly number[]): Promise<void> {
    tell.replay(facts.length);
    let from = 0;
    for (const end of [...ends, facts.length]) {
      const messages = facts
        .map((fact, i) => ({ fact, i }))
        .filter(({ fact, i }) => i >= from && i < end && (fact.do === "stamp" || fact.do === "clip"))
        .map(({ fact, i }) => this.#message(fact, i));
      if (messages.length > 0) await tell.outcomes(messages);
      from = Math.max(from, end);
    }
  }

  async settlements(purchases: readonly number[]): Promise<void> {
    const settlements = purchases.map((purchase) => ({
      transaction: this.#ids[purchase],
      organisation: this.#member.organisationId,
      state: "",
    }));
    await tell.settlements([this.#stored({ v: 1, settlements }, -1)]);
    // Outcomes that wait for a clip are retried as often as there may be of them.
    for (let i = 0; i < PURCHASES; i++) {
      await retryCandidates(store, tell.outcomes);
    }
  }

  /**
   * The restored database has nothing of the history; ingest applies the settlings again, with the numbers of
   * the log.
   */
  async restore(facts: readonly Fact[]): Promise<void> {
    const { organisationId } = this.#member;
    await store`delete from qualifying_purchases where organisation_id = ${organisationId}`;
    await store`delete from redemptions where organisation_id = ${organisationId}`;
    await store`delete from cashbacks where organisation_id = ${organisationId}`;
    await store`delete from events where organisation_id = ${organisationId}`;
    await store`delete from deal_candidates`;
    await store`
      update stamp_collections set unredeemed_purchases = 0, next_position = 1, threshold = null, pending_redemptions = '{}'
      where id = ${this.#card}`;
    await store`update clips set redeemed_at = null where id = ${this.#clip}`;
    await store`
      update transactions set state = 'authorized', settled_order = null, cleared_at = null, reverted_at = null
      where organisation_id = ${organisationId}`;
    for (const [i, fact] of facts.entries()) {
      if (fact.do === "clear" || fact.do === "revert") await this.#settle(fact, (BEGAN_AT + i) * 1_000);
    }
  }

  /** The reported facts, and what is stored of them: both times must have the same ids. */
  async end() {
    const { organisationId } = this.#member;
    const told = await store`
      select id, type, body::json ->> 'transaction_id' as about from events where organisation_id = ${organisationId}
      order by id`;
    const stamps = await store`
      select id, position, voided_at is null as live, redemption_id from qualifying_purchases
      where organisation_id = ${organisationId} order by id`;
    const redemptions = await store`
      select id, stamp_ids, undone_at is null as stands from redemptions where organisation_id = ${organisationId} order by id`;
    const cashbacks = await store`
      select id, transaction_id, state, amount from cashbacks where organisation_id = ${organisationId} order by id`;
    const [card] = await store`
      select unredeemed_purchases, threshold, pending_redemptions from stamp_collections where id = ${this.#card}`;
    const [clip] = await store`select redeemed_at is null as "isOpen" from clips where id = ${this.#clip}`;
    return {
      told: [...told],
      stamps: [...stamps],
      redemptions: [...redemptions],
      cashbacks: [...cashbacks],
      card,
      clip,
    };
  }

  /** @returns whether this call settled it */
  async #settle(fact: Fact, settledOrder: number | null): Promise<boolean> {
    const id = this.#ids[fact.purchase] as string;
    const state = fact.do === "clear" ? "cleared" : "reverted";
    const [before] = await store<{ state: string }[]>`select state from transactions where id = ${id}`;
    if (before?.state !== "authorized") return false;
    await settle(store, this.#member, id, state);
    if (settledOrder !== null)
      await store`update transactions set settled_order = ${settledOrder} where id = ${id}`;
    return true;
  }

  #message(fact: Fact, i: number) {
    const transaction_id = encodeId("tx", this.#ids[fact.purchase] as string);
    const outcome =
      fact.do === "stamp"
        ? {
            outcome_id: `o${i}`,
            transaction_id,
            type: "qualifying_purchase",
            stamp_collection_id: encodeId("sc", this.#card),
          }
        : {
            outcome_id: `o${i}`,
            transaction_id,
            type: "deal",
            clip_id: encodeId("clip", this.#clip),
            amount: 9,
            currency: "EUR",
          };
    return this.#stored({ v: 1, outcomes: [outcome] }, i);
  }

  #stored(message: unknown, i: number) {
    const data = Buffer.from(JSON.stringify(message));
    const facts = { rows: 1, traceIds: "", traceparent: "" };
    return { subject: "test", partition: 0, sequence: i + 1, storedAtMs: BEGAN_AT + i, data, ...facts };
  }
}

const stamp = (purchase: number): Fact => ({ do: "stamp", purchase });
const clip = (purchase: number): Fact => ({ do: "clip", purchase });
const clear = (purchase: number): Fact => ({ do: "clear", purchase });
const revert = (purchase: number): Fact => ({ do: "revert", purchase });

interface Story {
  readonly name: string;
  readonly facts: readonly Fact[];
  /** The messages after which batches end the second time. */
  readonly ends?: readonly number[];
  /** The number of reported events of each type. */
  readonly told: Readonly<Record<string, number>>;
}

const STORIES: readonly Story[] = [
  {
    name: "an outcome that came before its purchase was reverted makes the stamp that is voided then",
    facts: [stamp(0), revert(0), stamp(1)],
    told: { "qualifying_purchase.created": 2, "qualifying_purchase.voided": 1 },
  },
  {
    name: "one that came after it makes none",
    facts: [revert(0), stamp(0), stamp(1)],
    told: { "qualifying_purchase.created": 1 },
  },
  {
    name: "a redemption stands whose cashback cleared before one of its purchases was reverted",
    facts: [stamp(0), stamp(1), clear(1), revert(0), stamp(2), stamp(3)],
    told: {
      "qualifying_purchase.created": 4,
      "qualifying_purchase.voided": 1,
      "cashback.created": 2,
      "cashback.cleared": 1,
    },
  },
  {
    name: "settlings between two outcomes of one batch are applied between them",
    facts: [stamp(0), stamp(1), revert(0), stamp(2)],
    told: {
      "qualifying_purchase.created": 3,
      "qualifying_purchase.voided": 1,
      "qualifying_purchase.unredeemed": 1,
      "cashback.created": 2,
      "cashback.reverted": 1,
    },
  },
  {
    name: "and so are those between outcomes of two batches",
    facts: [stamp(0), stamp(1), revert(0), stamp(2), revert(1), stamp(3)],
    ends: [2, 4],
    told: {
      "qualifying_purchase.created": 4,
      "qualifying_purchase.voided": 2,
      "qualifying_purchase.unredeemed": 2,
      "cashback.created": 3,
      "cashback.reverted": 2,
    },
  },
  {
    name: "a clip whose purchase was reverted is open for the next one",
    facts: [clip(0), revert(0), clip(1), clear(1)],
    told: { "cashback.created": 2, "cashback.reverted": 1, "cashback.cleared": 1 },
  },
  {
    name: "a clip that is open again goes to the newest that waits for it, not to one that comes later",
    facts: [clip(2), clip(0), clip(1), revert(2), clip(3), clear(3)],
    told: { "cashback.created": 2, "cashback.reverted": 1 },
  },
  {
    name: "and on from that one, if it was reverted as well",
    facts: [clip(2), clip(0), clip(1), revert(2), revert(1), clip(3), clear(0)],
    told: { "cashback.created": 3, "cashback.reverted": 2, "cashback.cleared": 1 },
  },
  {
    name: "a clip goes to the purchase whose outcome came first, though an older one comes in the same batch",
    facts: [clip(1), clip(0), clear(1)],
    told: { "cashback.created": 1, "cashback.cleared": 1 },
  },
  {
    name: "a clip whose purchase cleared goes to no other purchase",
    facts: [clip(0), clip(1), clear(0), clip(2)],
    told: { "cashback.created": 1, "cashback.cleared": 1 },
  },
];

for (const { name, facts, ends = [], told } of STORIES) {
  t.test(`replay - ${name}`, async (t) => {
    const scene = await Scene.make(2);
    await scene.live(facts);
    const before = await scene.end();
    const counts: Record<string, number> = {};
    for (const { type } of before.told as unknown as { type: string }[])
      counts[type] = (counts[type] ?? 0) + 1;
    t.strictSame(counts, told);
    await scene.restore(facts);
    await scene.outcomes(facts, ends);
    await scene.settlements([...Array(PURCHASES).keys()].reverse());
    t.strictSame(await scene.end(), before);
  });
}

const purchase = fc.nat({ max: PURCHASES - 1 });
const histories = fc.record({
  threshold: fc.integer({ min: 1, max: 3 }),
  facts: fc.array(
    fc.record({ do: fc.constantFrom<Fact["do"]>("stamp", "stamp", "clip", "clear", "revert"), purchase }),
    { minLength: 8, maxLength: 16, size: "max" },
  ),
  ends: fc.array(fc.nat({ max: 16 }), { maxLength: 4 }),
  killed: fc.nat({ max: 16 }),
  /** Later messages are new. */
  held: fc.nat({ max: 16 }),
});

t.test(
  `replay - any history has the same result again, in any batches, and after a kill (FC_SEED=${SEED})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.noBias(histories), async ({ threshold, facts, ends, killed, held }) => {
        const scene = await Scene.make(threshold);
        await scene.live(facts);
        const before = await scene.end();
        const replayed = facts.slice(0, held);
        await scene.restore(replayed);
        const cuts = ends.toSorted((a, b) => a - b);
        await scene.outcomes(replayed.slice(0, killed), cuts);
        await scene.outcomes(replayed, cuts.toReversed());
        await scene.settlements([...Array(PURCHASES).keys()].reverse());
        await scene.live(facts, replayed.length);
        assert.deepEqual(await scene.end(), before);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
);

t.test("replay - once settlements are handled, nothing is left to them", async (t) => {
  const facts = [stamp(0), stamp(1), clear(1)];
  const pendingAfter = async () => {
    const scene = await Scene.make(2);
    await scene.restore(facts);
    await scene.outcomes(facts, []);
    return (await scene.end()).cashbacks.map(({ state }) => state);
  };
  const insert = (server: string) => store`
    insert into stream_places (hop, partition, session, server_started)
    values ('SETTLEMENT', 0, '', case when ${server} = 'this' then pg_postmaster_start_time() else 'epoch' end)`;
  t.teardown(async () => {
    await store`delete from stream_places`;
  });
  await insert("an earlier one");
  t.strictSame(await pendingAfter(), ["pending"]);
  await store`delete from stream_places`;
  await insert("this");
  t.strictSame(await pendingAfter(), ["cleared"], "the process whose wait ended has begun");
});

t.test("replay - settlements begin after outcomes that leave work to them", async (t) => {
  t.teardown(async () => {
    await store`delete from stream_places`;
  });
  await store`insert into stream_places (hop, partition, session, server_started) values ('SETTLEMENT', 0, '', 'epoch')`;
  let isTaken = false;
  let taking: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    t.equal(await settledUpTo(sql), 0);
    taking = store`
      update stream_places set server_started = pg_postmaster_start_time() where hop = 'SETTLEMENT'`.then(
      () => {
        isTaken = true;
      },
    );
    await waitForLocks(store);
    t.equal(isTaken, false);
  });
  await taking;
  t.equal(await store.begin(settledUpTo), undefined);
  await store`update stream_places set server_started = 'epoch', done = 7, stored_at = 1500 where hop = 'SETTLEMENT'`;
  t.equal(await store.begin(settledUpTo), 1_500_000, "settlings up to then are left to no settlement");
});

t.test("replay - kept outcomes are tried when those that come again are done", async (t) => {
  const scene = await Scene.make(2);
  await scene.live([clip(0), clip(1)]);
  const [{ id }] = await store<[{ id: string }]>`select clip_id as id from deal_candidates`;
  await store`update clips set redeemed_at = null where id = ${id}`;
  let isDone = false;
  let tried = 0;
  const stop = startRetrying({
    store,
    handle: async (messages) => {
      tried++;
      return tell.outcomes(messages);
    },
    assertReplayed: async () => {
      if (!isDone) throw new ExpectedWait("not yet");
    },
    log: createLog({ service: "test", level: "fatal" }),
  });
  t.teardown(stop);
  await delay(1_500);
  t.equal(tried, 0);
  isDone = true;
  await waitFor(() => tried > 0, { message: "they are not tried" });
});

t.test("kept outcomes - those of deals and those of cards do not wait for each other", async (t) => {
  const scene = await Scene.make(2);
  await scene.live([clip(0), clip(1)]);
  await store`
    insert into early_outcomes (transaction_id, target_id, outcome)
    select transaction_id, clip_id, outcome from deal_candidates`;
  await store`alter table deal_candidates rename to elsewhere`;
  t.teardown(async () => {
    await store`alter table elsewhere rename to deal_candidates`;
  });
  let tried = 0;
  const stop = startRetrying({
    store,
    handle: async (messages) => {
      tried++;
      return { results: messages.map(() => ({ kind: "done" })) };
    },
    assertReplayed: async () => {},
    log: createLog({ service: "test", level: "fatal" }),
  });
  await waitFor(() => tried > 0, { message: "the early outcome waits for the candidates" });
  await stop();
});

t.test(
  "regression - an outcome read before a restore is not decided in the restored database, which lacks the reversal",
  async (t) => {
    const scene = await Scene.make(1);
    await tell.whileRestoring(async () => {
      await t.rejects(scene.live([{ do: "stamp", purchase: 0 }]), { message: "another server" });
      await t.rejects(scene.settlements([0]), { message: "another server" });
    });
    t.match(await scene.end(), { told: [], stamps: [], redemptions: [], cashbacks: [] });
    await scene.live([{ do: "revert", purchase: 0 }]);
    await scene.live([{ do: "stamp", purchase: 0 }]);
    t.match(await scene.end(), { told: [], stamps: [], redemptions: [], cashbacks: [] });
  },
);
