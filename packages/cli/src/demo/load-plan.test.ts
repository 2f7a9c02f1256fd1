import t from "tap";
import type { TransactionEvent } from "#contract";
import { applyEvent, type Transaction, toUtcMicroseconds } from "#domain";
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
  t.test(`load - the counts of ${blocks} blocks are those of their events`, async (t) => {
    const events = Array.from({ length: blocks }, (_, block) => blockEvents(world, block)).flat();
    events.push(...lastEvents(world, blocks));
    const stored = [...storedAfter(events)];
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

const NO_IDENTIFIER = "";

/**
 * The states that the lifecycle gives these events' transactions, by `external_id`; each event must change
 * something.
 */
function storedAfter(events: readonly TransactionEvent[]): Map<string, Transaction> {
  const members = new Set([...world.enrolledIds, ...world.otherIds]);
  const stored = new Map<string, Transaction>();
  for (const event of events) {
    const time = (given: string | undefined) => (given === undefined ? null : toUtcMicroseconds(given));
    const decision = applyEvent(stored.get(event.external_id), {
      memberId: event.member_id,
      network: event.network,
      merchantId: event.merchant_id,
      statementDescriptor: event.statement_descriptor ?? null,
      amount: event.amount ?? null,
      currency: event.currency ?? null,
      authedAt: toUtcMicroseconds(event.authed_at),
      clearedAt: time(event.cleared_at),
      revertedAt: time(event.reverted_at),
      identifier6: NO_IDENTIFIER,
      identifier8: null,
    });
    if (!members.has(event.member_id)) throw new Error(`${event.member_id} is not in the world`);
    if (decision.outcome !== "created" && decision.outcome !== "updated") {
      throw new Error(`${event.external_id} is ${decision.outcome}`);
    }
    stored.set(event.external_id, decision.transaction);
  }
  return stored;
}
