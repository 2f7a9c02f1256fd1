import t from "tap";
import { batchContext, decideOutcomes } from "./decide-rewards.ts";
import { spentKey } from "./store/lock-for-outcomes.ts";
import type { OutcomeSubject } from "./store/outcome-subject.ts";
import {
  CONTEXT,
  DEAL,
  emptyCollection,
  FIXED,
  idOf,
  loadedWith,
  openClip,
  STAMP,
  told,
  transactionNamed,
} from "./test-decisions.ts";

function stamp(transaction: string, collection = "card", finding = STAMP): OutcomeSubject {
  return { transactionId: idOf(transaction), target: { kind: "collection", id: idOf(collection) }, finding };
}

function redemption(transaction: string, clip = "clip"): OutcomeSubject {
  return { transactionId: idOf(transaction), target: { kind: "clip", id: idOf(clip) }, finding: DEAL };
}

t.test("outcomes - each outcome of a collection sees the result of those before it", async (t) => {
  const transactions = ["A", "B", "C"].map((ref) => transactionNamed(ref));
  const loaded = loadedWith([emptyCollection("card")], transactions);
  const { results, writes } = decideOutcomes(
    loaded,
    ["A", "B", "C"].map((ref) => stamp(ref)),
    CONTEXT,
  );
  t.strictSame(results, ["applied", "applied", "applied"]);
  t.strictSame(writes.events.map(told), [
    "qualifying_purchase.created A 1",
    "qualifying_purchase.created B 2",
    "cashback.created B 300 EUR",
    "qualifying_purchase.created C 1",
  ]);
  const counters = writes.changes.flatMap(({ change }) =>
    change.type === "counter_set" ? [change.unredeemedPurchases] : [],
  );
  t.strictSame(counters, [1, 0, 1], "each step writes its own, and the last one wins");
  const positions = writes.changes.flatMap(({ change }) =>
    change.type === "stamp_made" ? [change.stamp.position] : [],
  );
  t.strictSame(positions, [1, 2, 3]);
});

t.test("outcomes - the same one twice in a batch makes one stamp, one redemption of a clip", async (t) => {
  const loaded = loadedWith([emptyCollection("card"), openClip("clip")], [transactionNamed("A")]);
  const twice = [stamp("A"), redemption("A"), stamp("A"), redemption("A")];
  const { results, writes } = decideOutcomes(loaded, twice, CONTEXT);
  t.strictSame(results, ["applied", "applied", "already_stamped", "already_redeemed"]);
  t.strictSame(writes.events.map(told), ["qualifying_purchase.created A 1", "cashback.created A 120 SEK"]);
});

t.test("outcomes - a clip is redeemed by the first of two transactions", async (t) => {
  const loaded = loadedWith([openClip("clip")], [transactionNamed("A"), transactionNamed("B")]);
  const { results, writes } = decideOutcomes(loaded, [redemption("B"), redemption("A")], CONTEXT);
  t.strictSame(results, ["applied", "already_redeemed"]);
  t.strictSame(writes.events.map(told), ["cashback.created B 120 SEK"]);
});

t.test("outcomes - the newest purchase before a clip redeems it, or else the oldest after it", async (t) => {
  const clip = openClip("clip");
  const { madeAt } = clip.times as NonNullable<typeof clip.times>;
  const boughtAt = new Map([
    ["a minute before", madeAt - 60_000_000],
    ["a second before", madeAt - 1_000_000],
    ["a second after", madeAt + 1_000_000],
    ["a minute after", madeAt + 60_000_000],
  ]);
  const refs = [...boughtAt.keys()];
  const loaded = {
    ...loadedWith(
      [clip],
      refs.map((ref) => transactionNamed(ref)),
    ),
    authedAt: new Map([...boughtAt].map(([ref, at]) => [idOf(ref), at])),
  };
  const redeemedBy = (...some: string[]) => {
    const outcomes = some.map((ref) => redemption(ref));
    const { results, writes } = decideOutcomes(loaded, outcomes, CONTEXT);
    t.equal(results.filter((result) => result === "applied").length, 1);
    return [some[results.indexOf("applied")], ...writes.events.map(told)];
  };
  for (const some of [refs, refs.toReversed()]) {
    t.strictSame(redeemedBy(...some), ["a second before", "cashback.created a second before 120 SEK"]);
  }
  t.equal(redeemedBy("a minute after", "a second after")[0], "a second after");
  t.equal(redeemedBy("a second after", "a minute before")[0], "a minute before");
});

t.test(
  "regression - a purchase earned by rules that were retroactive no more, where that was learned late",
  async (t) => {
    const clip = openClip("clip");
    const times = clip.times as NonNullable<typeof clip.times>;
    const authedAt = new Map([[idOf("A"), times.madeAt - 3_600_000_000]]);
    const results = [true, false].flatMap((stored) => {
      const retroactive = [{ since: 0, retroactive: stored }];
      const targets = [clip, emptyCollection("card")].map((one) => ({
        ...one,
        times: { ...times, retroactive },
      }));
      const loaded = { ...loadedWith(targets, [transactionNamed("A")]), authedAt };
      return [true, false, undefined].map((said) => {
        const outcomes = [redemption("A"), stamp("A")].map((one) => ({ ...one, retroactive: said }));
        return decideOutcomes(loaded, outcomes, CONTEXT).results.join();
      });
    });
    const [counts, not] = ["applied,applied", "link_too_late,link_too_late"];
    t.strictSame(
      results,
      [counts, not, counts, counts, not, not],
      "the stored value counts if the outcome has none",
    );
  },
);

t.test("outcomes - one transaction earns in every collection and clip that it is named for", async (t) => {
  const targets = [emptyCollection("card"), emptyCollection("other"), openClip("clip")];
  const loaded = loadedWith(targets, [transactionNamed("A", { state: "cleared" })]);
  const all = [stamp("A"), stamp("A", "other"), redemption("A")];
  const { results, writes } = decideOutcomes(loaded, all, CONTEXT);
  t.strictSame(results, ["applied", "applied", "applied"]);
  t.strictSame(writes.events.map(told), [
    "qualifying_purchase.created A 1",
    "qualifying_purchase.created A 1",
    "cashback.created A 120 SEK",
    "cashback.cleared A 120 SEK",
  ]);
});

t.test("outcomes - a reverted transaction earns nothing, its neighbours in the batch do", async (t) => {
  const transactions = [transactionNamed("A", { state: "reverted" }), transactionNamed("B")];
  const loaded = loadedWith([emptyCollection("card"), openClip("clip")], transactions);
  const { results, writes } = decideOutcomes(loaded, [stamp("A"), redemption("A"), stamp("B")], CONTEXT);
  t.strictSame(results, ["transaction_reverted", "transaction_reverted", "applied"]);
  t.strictSame(writes.events.map(told), ["qualifying_purchase.created B 1"]);
});

t.test("outcomes - a missing target or transaction is unknown, and nothing is written for it", async (t) => {
  const targets = [emptyCollection("card"), openClip("clip"), emptyCollection("of another", "bob")];
  const loaded = loadedWith(targets, [transactionNamed("A")]);
  const outcomes: ReadonlyArray<[what: string, outcome: OutcomeSubject, result: string]> = [
    ["a deleted collection", stamp("A", "deleted"), "unknown_target"],
    ["a transaction that never was", stamp("never"), "unknown_transaction"],
    ["another member's collection", stamp("A", "of another"), "unknown_transaction"],
    ["a clip's id as a collection's", stamp("A", "clip"), "unknown_target"],
    ["a collection's id as a clip's", redemption("A", "card"), "unknown_target"],
  ];
  for (const [what, outcome, result] of outcomes) {
    const decided = decideOutcomes(loaded, [outcome], CONTEXT);
    t.strictSame(decided, { results: [result], writes: { changes: [], events: [] } }, what);
  }
});

t.test("outcomes - a removed program still gives stamps", async (t) => {
  const loaded = loadedWith(
    [emptyCollection("card", "ada", null)],
    ["A", "B", "C"].map((ref) => transactionNamed(ref)),
  );
  const { writes } = decideOutcomes(
    loaded,
    ["A", "B", "C"].map((ref) => stamp(ref)),
    CONTEXT,
  );
  t.strictSame(writes.events.map(told), [
    "qualifying_purchase.created A 1",
    "qualifying_purchase.created B 2",
    "qualifying_purchase.created C 3",
  ]);
});

t.test("outcomes - the amount of the outcome goes before that of the transaction", async (t) => {
  const refund = { ...FIXED, threshold: 1, reward: { type: "refund" } } as const;
  const loaded = loadedWith([emptyCollection("card", "ada", refund)], [transactionNamed("A")]);
  const finding = { ...STAMP, purchaseAmount: 99, currency: "NOK" };
  const { writes } = decideOutcomes(loaded, [stamp("A", "card", finding)], CONTEXT);
  t.equal(writes.events.map(told)[1], "cashback.created A 99 NOK");
});

t.test(
  "outcomes - ids are derived from facts: a restored database gives the same ones at another time",
  async (t) => {
    const transactions = Array.from({ length: 50 }, (_, i) => transactionNamed(`T${i}`));
    const loaded = loadedWith([emptyCollection("card")], transactions);
    const outcomes = transactions.map(({ ref }) => stamp(ref));
    const { writes } = decideOutcomes(loaded, outcomes, CONTEXT);
    const made = (type: string) =>
      writes.changes.flatMap(({ change }) => {
        if (change.type !== type) return [];
        if (change.type === "stamp_made") return [change.stamp.id];
        return change.type === "cashback_made" ? [change.cashback.id] : [];
      });
    const events = writes.events.map(({ id }) => id);
    for (const [ids, count] of [
      [events, 75],
      [made("stamp_made"), 50],
      [made("cashback_made"), 25],
    ] as const) {
      t.equal(ids.length, count);
      t.equal(new Set(ids).size, count);
    }
    t.ok(writes.events.every(({ at }) => at === "2026-05-01T10:00:00.000000Z"));
    t.ok(writes.events.every(({ id, transactionId }) => id.startsWith(`${transactionId?.slice(0, 13)}-7`)));
    const later = batchContext(new Date("2026-05-01T10:00:01Z"));
    const again = decideOutcomes(loaded, outcomes, later).writes.events.map(({ id }) => id);
    t.strictSame(again, events);
  },
);

t.test("outcomes - changes and events name their organisation and member", async (t) => {
  const loaded = loadedWith([openClip("clip")], [transactionNamed("A")]);
  const { writes } = decideOutcomes(loaded, [redemption("A")], CONTEXT);
  t.strictSame(
    writes.changes.map(({ change, ...owner }) => [change.type, owner]),
    ["clip_redeemed", "cashback_made"].map((type) => [
      type,
      { organisationId: idOf("organisation"), memberId: idOf("ada") },
    ]),
  );
  t.match(writes.events, [
    { organisationId: idOf("organisation"), type: "cashback.created", transactionId: idOf("A") },
  ]);
});

t.test(
  "regression - a purchase redeemed the same deal again by each clip that was saved later",
  async (t) => {
    const clips = [openClip("clip 1"), openClip("clip 2")];
    const deal = (clip: string): OutcomeSubject => ({
      transactionId: idOf("A"),
      target: { kind: "clip", id: idOf(clip) },
      finding: DEAL,
    });
    const loaded = loadedWith(clips, [transactionNamed("A")]);
    const { results, writes } = decideOutcomes(loaded, [deal("clip 1"), deal("clip 2")], CONTEXT);
    t.strictSame(results, ["applied", "already_redeemed"], "in one batch");
    t.strictSame(writes.events.map(told), ["cashback.created A 120 SEK"]);
    const spent = new Set([spentKey(idOf("A"), idOf("deal"))]);
    t.strictSame(decideOutcomes({ ...loaded, spent }, [deal("clip 2")], CONTEXT).results, [
      "already_redeemed",
    ]);
  },
);
