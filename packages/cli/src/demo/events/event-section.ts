import type { JudgedSection } from "../report.ts";
import type { EventCounts } from "./count-events.ts";
import type { ReceivedEvents } from "./received-events.ts";

const NAMES: Readonly<Record<keyof EventCounts, string>> = {
  stamps: "qualifying_purchase.created, less voided",
  unredeemed: "qualifying_purchase.unredeemed",
  cashbacksCreated: "cashback.created",
  cashbacksCleared: "cashback.cleared",
  cashbacksReverted: "cashback.reverted",
  rejected: "transaction.rejected",
};

/** What the webhook was sent, beside the demo's own count. */
export function judgeEvents(expected: EventCounts, received: ReceivedEvents): JudgedSection {
  const { counts, outOfOrder, refused, faults } = received;
  const names = Object.keys(NAMES) as (keyof EventCounts)[];
  return {
    section: {
      title: "events told",
      source: "webhook",
      rows: [
        ...names.map((name) => ({ name: NAMES[name], expected: expected[name], actual: counts[name] })),
        { name: "before what they follow", expected: 0, actual: outOfOrder },
        { name: "deliveries that do not verify", expected: 0, actual: refused },
      ],
    },
    examples: faults,
  };
}

export function isComplete(expected: EventCounts, { counts }: ReceivedEvents): boolean {
  return (Object.keys(NAMES) as (keyof EventCounts)[]).every((name) => expected[name] === counts[name]);
}
