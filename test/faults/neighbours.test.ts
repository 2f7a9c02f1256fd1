import t from "tap";
import { ATTACKS, SHORT_ATTACKS } from "./neighbours/attacks.ts";
import { CALLERS_MARK } from "./neighbours/door-attacks.ts";
import { type Measured, problems, writeTable } from "./neighbours/measured.ts";
import { NeighbourScene } from "./neighbours/neighbour-scene.ts";

/**
 * One quiet organisation next to a hostile one, which makes every attack of the table in turn: during each,
 * no request of the quiet one is refused, and its webhooks arrive.
 *
 * `NEIGHBOUR_SECONDS=5 node dist/test/faults/neighbours.test.js` makes each attack at its full size for that
 * time, prints the table of SECURITY.md, and fails if a p99 of the quiet one is 250 ms or more.
 * `NEIGHBOUR_ONLY="prefer|brackets"` makes only the attacks whose names match. With neither, the test makes
 * those of `SHORT_ATTACKS`, small.
 */
const SECONDS = Number(process.env.NEIGHBOUR_SECONDS ?? 0);
const ONLY = process.env.NEIGHBOUR_ONLY;
const CHOSEN =
  SECONDS > 0 || ONLY !== undefined
    ? ATTACKS.filter(({ name }) => new RegExp(ONLY ?? "").test(name))
    : SHORT_ATTACKS;

const P99_MS = SECONDS > 0 ? 250 : Number.POSITIVE_INFINITY;
const EVERY_MS = 50;
const ROUNDS = SECONDS > 0 ? (SECONDS * 1000) / EVERY_MS : 10;

t.setTimeout(7_200_000);

t.test("no attack of one organisation is noticed by another", async (t) => {
  const size = SECONDS > 0 ? "full" : "small";
  const scene = await NeighbourScene.open(t, { size, rounds: ROUNDS, everyMs: EVERY_MS });
  const rows: Measured[] = [];
  const judge = (measured: Measured) => {
    rows.push(measured);
    t.strictSame(problems(measured, P99_MS), [], measured.attack);
    if (SECONDS > 0) t.comment(writeTable([measured]).split("\n").at(-1) ?? "");
  };
  // The times of a cold start are no claim.
  if (SECONDS > 0) await scene.undisturbed();
  judge(await scene.undisturbed());
  for (const attack of CHOSEN) judge(await scene.during(attack));
  t.strictSame(scene.died(), [], "no process has ended");
  const traces = await scene.traces(CALLERS_MARK);
  t.strictSame(traces.slice(0, 3), [], "logs and metrics hold no text that a caller has made up");
  t.comment(`\n${writeTable(rows)}`);
});
