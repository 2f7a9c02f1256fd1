import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { SeededRandom } from "#domain";
import { explain, type Observed } from "./explain.ts";
import type { History, PurchaseState } from "./history.ts";
import { Rehearsal } from "./rehearsal.ts";
import { openScripts, type Script, scripts } from "./script.ts";
import { STAMP_CARD } from "./stamp-card.ts";

/**
 * The model against the rules of the domain, in memory and with shrinking: one stamp card, messages that arrive in a
 * random order and some of them twice. And the search against itself: it must not explain wrong observations.
 * `FC_SEED` repeats a run.
 */
const SEED = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? 3000);

t.test(`model - the domain's rules do what the model says, in any order (FC_SEED=${SEED})`, async (t) => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(scripts, fc.nat(), (script, seed) => {
      const { diary, observed } = new Rehearsal(seed).play(script);
      const fault = explain(STAMP_CARD, diary.historyOf("card"), observed);
      assert.equal(fault, undefined, fault);
      for (const one of observed) {
        const name = one.kind === "event" ? (one.line.split(" ")[0] as string) : "rest";
        seen.set(name, (seen.get(name) ?? 0) + 1);
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
  for (const [name, count] of seen) t.ok(count > RUNS / 20, `${name}: ${count}`);
  t.equal(seen.size, 7);
});

/** A way in which an engine could go wrong. Returns undefined if it has nothing to change. */
type Damage = (observed: Observed[], random: SeededRandom) => Observed[] | undefined;

const DAMAGES: Record<string, Damage> = {
  "an event is missing": (observed, random) => {
    const at = pickEvent(observed, random);
    return at === undefined ? undefined : observed.toSpliced(at, 1);
  },
  "an event comes twice": (observed, random) => {
    const at = pickEvent(observed, random);
    return at === undefined ? undefined : observed.toSpliced(at, 0, observed[at] as Observed);
  },
  "the last number of an event is another": (observed, random) => {
    const at = pickEvent(observed, random, /\d/);
    return at === undefined ? undefined : observed.with(at, edit(observed[at] as Observed));
  },
  "the counter is another": (observed, random) => {
    const at = random.pick(observed.flatMap(({ kind }, i) => (kind === "rest" ? [i] : [])));
    const rest = observed[at] as Observed & { kind: "rest" };
    const rows = rest.rows.replace(/^counter (\d+)/, (_, n) => `counter ${Number(n) + 1}`);
    return observed.with(at, { kind: "rest", rows });
  },
  "a stamp is left as it was before": (observed) => {
    const at = observed.length - 1;
    const rest = observed[at] as Observed & { kind: "rest" };
    const rows = rest.rows.replace(/(s\d+ \S+) (c\d+|void)/, "$1 free");
    return rows === rest.rows ? undefined : observed.with(at, { kind: "rest", rows });
  },
  "a cashback is left pending": (observed) => {
    const at = observed.length - 1;
    const rest = observed[at] as Observed & { kind: "rest" };
    const rows = rest.rows.replace(/cleared|reverted/, "pending");
    return rows === rest.rows ? undefined : observed.with(at, { kind: "rest", rows });
  },
};

/**
 * The scripts in which a damage is certainly wrong, if not all are. A counter that is one higher may be
 * right: while a redemption has no event, because its worth is unknown, no observer sees whether the earlier
 * terms made it or, one stamp later, the new ones.
 */
const WRONG_IN: Record<string, fc.Arbitrary<Script>> = {
  "the last number of an event is another": openScripts,
};

for (const [name, damage] of Object.entries(DAMAGES)) {
  t.test(`search - ${name}: not explained (FC_SEED=${SEED})`, async (t) => {
    const random = new SeededRandom(SEED);
    let damaged = 0;
    for (const script of fc.sample(WRONG_IN[name] ?? scripts, { seed: SEED, numRuns: 300 })) {
      const { diary, observed } = new Rehearsal(random.between(0, 1e9)).play(script);
      const wrong = damage(observed, random);
      if (wrong === undefined) continue;
      damaged++;
      const fault = explain(STAMP_CARD, diary.historyOf("card"), wrong);
      if (fault === undefined)
        t.fail("it was explained", { observed: observed.map(show), wrong: wrong.map(show) });
    }
    t.ok(damaged > 20, `${damaged} were damaged`);
  });
}

function pickEvent(observed: readonly Observed[], random: SeededRandom, like = /./): number | undefined {
  const found = observed.flatMap((one, i) => (one.kind === "event" && like.test(one.line) ? [i] : []));
  return found.length === 0 ? undefined : random.pick(found);
}
function edit(event: Observed): Observed {
  if (event.kind === "rest") return event;
  return {
    kind: "event",
    line: event.line.replace(/(\d+)(\D*)$/, (_, n, rest) => `${Number(n) + 1}${rest}`),
  };
}
const show = (one: Observed) => (one.kind === "event" ? one.line : `at rest: ${one.rows}`);

t.test(
  "search - a redemption is made when it is due, and its cashback reported when its amount comes",
  async (t) => {
    const version = (
      moment: number,
      state: PurchaseState,
      amount: number | null,
      currency: string | null,
    ) => {
      return { value: { state, amount, currency }, moment, phase: 0 };
    };
    const history: History = {
      purchases: new Map([
        [
          "B",
          [
            version(1, "authorized", null, null),
            version(3, "cleared", null, null),
            version(6, "cleared", 450, "EUR"),
          ],
        ],
        ["C", [version(2, "authorized", null, null), version(4, "cleared", null, "EUR")]],
        ["G", [version(0, "cleared", 450, "SEK")]],
      ]),
      terms: [{ value: { threshold: 1, fixed: null, currency: "EUR" }, moment: 0, phase: 0 }],
      outcomes: [
        { ref: "B", money: { amount: null, currency: null }, moment: 1, phase: 0 },
        { ref: "C", money: { amount: 520, currency: "SEK" }, moment: 2, phase: 0 },
        // This settlement sees that C is cleared.
        { ref: "G", money: { amount: 520, currency: "SEK" }, moment: 5, phase: 0 },
      ],
    };
    const lines = [
      "qualifying_purchase.created s1 B 1",
      "qualifying_purchase.created s2 C 1",
      "cashback.created c1 C 520 SEK",
      "cashback.cleared c1 C 520 SEK",
      "qualifying_purchase.created s3 G 1",
      "cashback.created c2 G 520 SEK",
      "cashback.cleared c2 G 520 SEK",
      "cashback.created c3 B 450 EUR",
      "cashback.cleared c3 B 450 EUR",
    ];
    const rows =
      "counter 0; s1 B c3; s2 C c1; s3 G c2; c1 C 520 SEK cleared; c2 G 520 SEK cleared; c3 B 450 EUR cleared";
    const events = lines.map((line): Observed => ({ kind: "event", line }));
    t.equal(explain(STAMP_CARD, history, [...events, { kind: "rest", rows }]), undefined);
    const [last, before] = [events.at(-1), events.at(-2)] as [Observed, Observed];
    const turned = [...events.slice(0, -2), last, before];
    t.type(explain(STAMP_CARD, history, [...turned, { kind: "rest", rows }]), "string", "but in their order");
  },
);
