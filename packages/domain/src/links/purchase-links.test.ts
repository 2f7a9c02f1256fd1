import t from "tap";
import {
  LINK_GRACE_MICROSECONDS,
  linkCounts,
  linkReach,
  purchaseLinks,
  RETROACTIVE_REACH_MICROSECONDS,
  retroactiveSince,
} from "./purchase-links.ts";

const MADE_AT = Date.UTC(2026, 4, 1, 10) * 1000;
const ALWAYS = [{ since: 0, retroactive: true }];

t.test("links - one counts for purchases authorized since a minute before it was made", async (t) => {
  const link = { madeAt: MADE_AT, retroactive: [] };
  const first = MADE_AT - LINK_GRACE_MICROSECONDS;
  t.equal(linkCounts(link, first), true, "to the microsecond");
  t.equal(linkCounts(link, first - 1), false);
  t.equal(linkCounts(link, MADE_AT + 1), true);
  t.equal(linkReach(link), LINK_GRACE_MICROSECONDS);
});

t.test("regression - a retroactive link counted for purchases of any age", async (t) => {
  const link = { madeAt: MADE_AT, retroactive: ALWAYS };
  const first = MADE_AT - RETROACTIVE_REACH_MICROSECONDS;
  t.equal(RETROACTIVE_REACH_MICROSECONDS, 30 * 24 * 3600 * 1_000_000);
  t.equal(linkCounts(link, first), true, "to the microsecond");
  t.equal(linkCounts(link, first - 1), false);
  t.equal(linkReach(link), RETROACTIVE_REACH_MICROSECONDS);
});

t.test(
  "regression - a program that became retroactive counted purchases of before, and one that ceased to be did not",
  async (t) => {
    const first = MADE_AT - RETROACTIVE_REACH_MICROSECONDS / 2;
    const second = first + RETROACTIVE_REACH_MICROSECONDS / 4;
    const link = {
      madeAt: MADE_AT,
      retroactive: [
        { since: first, retroactive: false },
        { since: second, retroactive: true },
      ],
    };
    t.equal(linkCounts(link, first - 1), false, "the first holds for all time before");
    t.equal(linkCounts(link, second - 1), false);
    t.equal(linkCounts(link, second), true, "the revision counts from its own moment on");
    const reverse = link.retroactive.map((one) => ({ ...one, retroactive: !one.retroactive }));
    t.equal(linkCounts({ ...link, retroactive: reverse }, first - 1), true);
    t.equal(linkCounts({ ...link, retroactive: reverse }, second), false);
    t.equal(linkReach({ retroactive: reverse }), RETROACTIVE_REACH_MICROSECONDS);
  },
);

t.test("links - a purchase has those of its member that count for it", async (t) => {
  const early = { id: "early", madeAt: MADE_AT, retroactive: [] };
  const late = { id: "late", madeAt: MADE_AT + 2 * LINK_GRACE_MICROSECONDS, retroactive: [] };
  const back = { ...late, id: "back", retroactive: ALWAYS };
  const links = { clips: [early, late], enrolments: [late, back] };
  t.strictSame(purchaseLinks(links, MADE_AT), { clips: [early], enrolments: [back] });
  t.equal(purchaseLinks(links, late.madeAt), links);
});

t.test("links - a history says since when purchases have links by it that they had not before", async (t) => {
  const always = (retroactive: boolean) => [{ since: 5, retroactive }];
  const then = (retroactive: boolean) => [...always(!retroactive), { since: 10, retroactive }];
  t.equal(retroactiveSince(always(false), always(false)), undefined);
  t.equal(retroactiveSince(always(false), then(true)), 10);
  t.equal(
    retroactiveSince(always(true), then(false)),
    undefined,
    "nothing is reported that no longer counts",
  );
  t.equal(retroactiveSince(always(false), always(true)), 0, "the first holds for all time before");
  const again = [...then(true), { since: 20, retroactive: false }, { since: 30, retroactive: true }];
  t.equal(retroactiveSince(again.slice(0, 3), again), 30);
  t.equal(retroactiveSince(always(false), again), 10, "the value in between was never seen");
});
