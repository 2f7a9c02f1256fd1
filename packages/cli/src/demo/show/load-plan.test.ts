import t from "tap";
import { modelEvents } from "../model.ts";
import {
  authorizationOf,
  blockEvents,
  countLoad,
  earns,
  finalState,
  type LoadWorld,
  lastEvents,
  numberOf,
} from "./load-plan.ts";

const THRESHOLD = 3;
const world: LoadWorld = {
  tag: "mi8a2k3c",
  startedAt: Date.UTC(2026, 0, 5, 6),
  enrolledIds: ["m_a", "m_b", "m_c"],
  otherIds: ["m_x", "m_y"],
  merchantId: "SHOP",
};

for (const blocks of [0, 1, 50, 51, 4_999, 5_000, 5_001, 5_050, 6_237]) {
  t.test(`load - the counts of ${blocks} blocks are what their events come to`, async (t) => {
    const events = Array.from({ length: blocks }, (_, block) => blockEvents(world, block)).flat();
    events.push(...lastEvents(world, blocks));
    const { outcomes, transactions } = modelEvents(
      events,
      new Set([...world.enrolledIds, ...world.otherIds]),
    );
    t.ok([...outcomes.values()].every((outcome) => outcome === "created" || outcome === "updated"));
    const stored = [...transactions.entries()];
    const earning = stored.filter(([id]) => earns(numberOf(id)));
    const perMember = world.enrolledIds.map(
      (id) => earning.filter(([, { memberId }]) => memberId === id).length,
    );
    const redemptions = perMember.reduce((sum, count) => sum + Math.floor(count / THRESHOLD), 0);
    t.strictSame(countLoad(world, blocks, THRESHOLD), {
      events: events.length,
      purchases: stored.length,
      cleared: stored.filter(([, { state }]) => state === "cleared").length,
      stamps: earning.length,
      redemptions,
      unredeemed: earning.length - redemptions * THRESHOLD,
    });
    t.strictSame(
      stored.map(([id]) => finalState(numberOf(id), blocks)),
      stored.map(([, { state }]) => state),
    );
    t.ok(earning.every(([, { state, merchantId }]) => state === "cleared" && merchantId === "SHOP"));
  });
}

t.test("load - external ids sort as the purchases come", async (t) => {
  const ids = [0, 9, 10, 99_999, 100_000, 9_999_999].map(
    (number) => authorizationOf(world, number).external_id,
  );
  t.strictSame(ids.toSorted(), ids);
  t.strictSame(ids.map(numberOf), [0, 9, 10, 99_999, 100_000, 9_999_999]);
});
