import { randomUUID } from "node:crypto";
import t from "tap";
import { SeededRandom } from "#domain";
import type { Store } from "#postgres";
import { testStore } from "#test-support";
import { createJudge } from "../matching/judge.ts";
import { pairHalves } from "../matching/pair-halves.ts";
import { storePayments } from "../matching/store-payments.ts";
import { storeRecords } from "../matching/store-records.ts";
import { DAY, identifierOf, NOON, testPayment, testRecord } from "../matching/test-halves.ts";
import { explainPurchase, type PreparedPrograms } from "../rules/explain-purchase.ts";
import { mergeRecord, type PurchaseRecord } from "../rules/merge-record.ts";
import type { Revisions } from "../rules/revisions.ts";
import { indexRoutes, type RetailerRoutes, routeTransaction } from "../rules/route-transaction.ts";
import { outcomeId, prepareRules, type Rules } from "../rules/rules.ts";
import { unchanging } from "../rules/test-rules.ts";
import { type GivenRecord, subjectOf } from "./explained-subject.ts";
import { readKeptPurchase } from "./kept-purchase.ts";

/*
 * A property: the explanation, made from the present rules, agrees with the platform's decisions under the
 * same rules.
 */

t.setTimeout(400_000);

const ROUNDS = 25;
const PURCHASES = 40;

const RETAILERS: readonly RetailerRoutes[] = [
  { id: randomUUID(), merchantIds: ["M-1"], statementDescriptors: [] },
  { id: randomUUID(), merchantIds: ["M-2", "SHARED"], statementDescriptors: ["COFFEE", "BOTH"] },
  { id: randomUUID(), merchantIds: ["SHARED"], statementDescriptors: ["TEA", "BOTH"] },
];
const MERCHANTS = ["M-1", "m-2", "SHARED", "UNOWNED"];
const DESCRIPTORS = [null, "coffee corner", "TEA ROOM", "BOTH", "BAKERY"];
const CURRENCIES = ["EUR", "SEK"];

let store: Store;

t.before(async () => {
  store = await testStore();
});

function randomRules(random: SeededRandom): Rules {
  const some = <T>(share: number, value: () => T) => (random.chance(share) ? value() : null);
  const around = () => NOON + random.between(-3, 3) * DAY;
  return {
    merchantIds: random.shuffle(MERCHANTS).slice(0, random.between(1, 3)),
    statementDescriptor: some(0.3, () => random.pick(["COFFEE", "TEA"])),
    minAmount: some(0.3, () => random.between(0, 200)),
    currency: some(0.3, () => random.pick(CURRENCIES)),
    paidAfter: some(0.2, around),
    paidBefore: some(0.2, around),
    confirmation: random.pick(["retailer", "none"]),
    startsAt: some(0.2, around),
    endsAt: some(0.2, around),
    retroactive: false,
  };
}

function randomPrograms(random: SeededRandom): PreparedPrograms {
  const ids = Array.from({ length: 4 }, () => randomUUID());
  const rules = () => prepareRules(randomRules(random));
  return {
    programs: unchanging(
      ids.map((id) => [
        id,
        { rules: rules(), revision: 1, threshold: 10, reward: { type: "refund" as const } },
      ]),
    ),
    deals: unchanging(
      ids.map((id) => [
        id,
        {
          rules: rules(),
          reward: random.chance(0.5)
            ? { type: "percent" as const, percent: random.between(1, 100), maxAmount: null }
            : { type: "fixed" as const, amount: 100, currency: "EUR" },
        },
      ]),
    ),
  };
}

/** The outcomes without their clips. */
function outcomesOf(kept: Awaited<ReturnType<typeof readKeptPurchase>>): string[] {
  if (kept === undefined || kept === "reverted") return [];
  return kept.emitted.filter((id) => !kept.record.clips.has(id));
}

const idsOf = (revisions: Revisions<unknown>) => [...revisions.allInForce(NOON)].map(([id]) => id);

/** A record without redeliveries; it is routed to the retailer of its route. */
function randomRecord(
  random: SeededRandom,
  { programs, deals }: PreparedPrograms,
): Omit<PurchaseRecord, "route"> {
  const pickSome = (ids: Iterable<string>) => [...ids, randomUUID()].filter(() => random.chance(0.5));
  const { route: _, ...record } = testRecord({
    state: random.pick(["authorized", "authorized", "cleared", "reverted"]),
    merchantId: random.pick(MERCHANTS),
    statementDescriptor: random.pick(DESCRIPTORS),
    authedAt: NOON + random.between(-3, 3) * DAY,
    enrolments: new Map(pickSome(idsOf(programs)).map((id) => [randomUUID(), id])),
    clips: new Map(pickSome(idsOf(deals)).map((id) => [randomUUID(), id])),
  });
  return record;
}

function explain(
  record: Omit<PurchaseRecord, "route">,
  kept: Awaited<ReturnType<typeof readKeptPurchase>>,
  routes: ReturnType<typeof indexRoutes>,
  prepared: PreparedPrograms,
) {
  const given: GivenRecord = {
    ...record,
    amount: null,
    currency: null,
    links: [
      ...[...record.enrolments].map(([id, targetId]) => ({ type: "enrolment" as const, id, targetId })),
      ...[...record.clips].map(([id, targetId]) => ({ type: "clip" as const, id, targetId })),
    ],
  };
  const now = new Date(NOON / 1000);
  const subject = subjectOf(kept, given, record.transactionId, routes, now);
  if (subject?.links === undefined) throw new Error("nothing to explain");
  return explainPurchase(subject.purchase, subject.links, prepared);
}

t.test("property - the explanation says earned exactly for the emitted outcomes", async (t) => {
  const seen = new Map<string, number>();
  const saw = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (let round = 1; round <= ROUNDS; round++) {
    const random = new SeededRandom(round);
    const routes = indexRoutes(RETAILERS.map(({ id, ...value }) => ({ id, since: 0, value })));
    const prepared = randomPrograms(random);
    const judge = createJudge(prepared);
    const records = Array.from({ length: PURCHASES }, () => randomRecord(random, prepared));
    const routed: PurchaseRecord[] = records.flatMap((record) => {
      const route = routeTransaction(routes, record.merchantId, record.statementDescriptor, record.authedAt);
      return route.outcome === "routed" ? [{ ...record, route }] : [];
    });
    const bring = async () => {
      await storeRecords(store, routed, judge);
      await pairHalves(
        store,
        "records",
        routed.map(({ transactionId }) => transactionId),
        judge,
      );
    };
    const pay = async () => {
      for (const { transactionId, route, authedAt } of routed) {
        if (random.chance(0.4)) continue;
        const payment = testPayment(transactionId, {
          amount: random.between(0, 300),
          currency: random.pick(CURRENCIES),
          paidAt: authedAt + random.between(-1, 1) * DAY,
          identifiers: [identifierOf(transactionId)],
        });
        const { unpaired } = await storePayments(store, route.retailerId, [payment], judge);
        await pairHalves(store, "payments", unpaired, judge);
      }
    };
    for (const half of random.shuffle([bring, pay])) await half();

    for (const record of records) {
      const kept = await readKeptPurchase(store, record.transactionId);
      const isRouted = routed.some(({ transactionId }) => transactionId === record.transactionId);
      t.equal(kept !== undefined, isRouted, `seed ${round}: a routed record is kept`);
      const emitted = outcomesOf(kept);
      const verdicts = explain(record, kept, routes, prepared);
      const earned = verdicts.flatMap(({ link, verdict }) => {
        saw(verdict.kind === "not_earned" ? verdict.reason : verdict.kind);
        if (verdict.kind !== "earned") return [];
        const { transactionId } = record;
        return link.type === "enrolment"
          ? outcomeId(transactionId, { type: "program", programId: link.targetId })
          : outcomeId(transactionId, { type: "deal", dealId: link.targetId });
      });
      t.strictSame(earned.toSorted(), emitted.toSorted(), `seed ${round}: ${record.transactionId}`);
      const told = verdicts.flatMap(({ outcomeId }) => outcomeId ?? []);
      t.strictSame(told.toSorted(), emitted.toSorted(), `seed ${round}: each is named`);
    }
  }
  for (const what of [
    "earned",
    "waiting",
    "reverted",
    "unknown_merchant",
    "no_descriptor_matches",
    "ambiguous",
    "removed",
    "other_merchant",
    "other_descriptor",
    "amount_unknown",
    "amount_too_low",
    "other_currency",
    "paid_too_early",
    "paid_too_late",
    "not_started",
    "ended",
  ]) {
    t.ok((seen.get(what) ?? 0) > 0, `${what} came up`);
  }
});

t.test(
  "property - a record that comes again, with a descriptor and links more, changes nothing of it",
  async (t) => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = new SeededRandom(1000 + seed);
      const routes = indexRoutes(RETAILERS.map(({ id, ...value }) => ({ id, since: 0, value })));
      const prepared = randomPrograms(random);
      const judge = createJudge(prepared);
      const first = { ...randomRecord(random, prepared), merchantId: "M-1" };
      const more = randomRecord(random, prepared);
      const { enrolments, clips } = more;
      const second = { ...first, statementDescriptor: "COFFEE", enrolments, clips };
      const route = routeTransaction(routes, "M-1", null, NOON);
      if (route.outcome !== "routed") throw new Error("M-1 has one retailer");
      for (const record of [first, second]) {
        await storeRecords(store, [{ ...record, route }], judge);
        await pairHalves(store, "records", [record.transactionId], judge);
      }
      const payment = testPayment(first.transactionId, { identifiers: [identifierOf(first.transactionId)] });
      const { unpaired } = await storePayments(store, route.retailerId, [payment], judge);
      await pairHalves(store, "payments", unpaired, judge);
      const kept = await readKeptPurchase(store, first.transactionId);
      const merged = mergeRecord({ ...first, route }, { ...second, route }, false);
      const verdicts = explain(merged, kept, routes, prepared);
      t.equal(verdicts.length, merged.enrolments.size + merged.clips.size, `seed ${seed}`);
      const told = verdicts.flatMap(({ verdict, outcomeId }) =>
        verdict.kind === "earned" ? [outcomeId] : [],
      );
      const emitted = outcomesOf(kept);
      t.strictSame(told.toSorted(), emitted.toSorted(), `seed ${seed}`);
    }
  },
);
