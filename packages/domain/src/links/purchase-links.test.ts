import t from "tap";
import { LINK_GRACE_MICROSECONDS, linkCounts, purchaseLinks } from "./purchase-links.ts";

const MADE_AT = Date.UTC(2026, 4, 1, 10) * 1000;

t.test("links - one counts for purchases authorized since a minute before it was made", async (t) => {
  const link = { madeAt: MADE_AT, retroactive: false };
  const first = MADE_AT - LINK_GRACE_MICROSECONDS;
  t.equal(linkCounts(link, first), true, "to the microsecond");
  t.equal(linkCounts(link, first - 1), false);
  t.equal(linkCounts(link, MADE_AT + 1), true);
  t.equal(linkCounts({ ...link, retroactive: true }, 0), true, "earlier ones where the program says so");
});

t.test("links - a purchase has those of its member that count for it", async (t) => {
  const early = { id: "early", madeAt: MADE_AT, retroactive: false };
  const late = { id: "late", madeAt: MADE_AT + 2 * LINK_GRACE_MICROSECONDS, retroactive: false };
  const back = { ...late, id: "back", retroactive: true };
  const links = { clips: [early, late], enrolments: [late, back] };
  t.strictSame(purchaseLinks(links, MADE_AT), { clips: [early], enrolments: [back] });
  t.equal(purchaseLinks(links, late.madeAt), links);
});
