import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { packRecordMessage } from "#contract/codec";
import { type BatchEvent, foldEvents, keyOf, type StoredTransaction, stateOf } from "#domain";
import { writeRecords } from "../../services/ingest/src/publish/platform-record.ts";
import { readRecords } from "../../services/platform/src/handle-records.ts";
import type { PreparedPrograms } from "../../services/platform/src/rules/explain-purchase.ts";
import { MerchantFilter } from "../../services/platform/src/rules/merchant-filter.ts";
import { mergeRecord, type PurchaseRecord } from "../../services/platform/src/rules/merge-record.ts";
import { Revisions } from "../../services/platform/src/rules/revisions.ts";
import { indexRoutes } from "../../services/platform/src/rules/route-transaction.ts";

/*
 * Two retailers share a merchant id. The descriptors of a purchase's events, in their order, decide whose it is,
 * however the events are cut into batches, and in any order and grouping of the platform's batches.
 */

const retailer = (id: string, prefix: string) => ({
  ...{ id, since: 0 },
  value: { merchantIds: ["SHARED"], statementDescriptors: [prefix] },
});
const PREPARED: PreparedPrograms = { programs: new Revisions([]), deals: new Revisions([]) };
const ROUTES = indexRoutes([retailer("cafe", "CAFE"), retailer("bar", "BAR")]);
const CONFIGURATION = {
  routes: ROUTES,
  merchants: new MerchantFilter(ROUTES),
  prepared: PREPARED,
  named: new Set<string>(),
};

/** The events of one purchase, in the order in which they are answered. */
const histories = fc
  .array(
    fc.record({
      descriptor: fc.constantFrom(null, "CAFE 1", "BAR 1", "OTHER"),
      end: fc.constantFrom("none", "none", "clearedAt", "revertedAt"),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((said) =>
    said.map(({ descriptor, end }, ord): BatchEvent => {
      const dates = {
        clearedAt: null,
        revertedAt: null,
        ...(end !== "none" && { [end]: "2026-05-02T10:00:00.000000Z" }),
      };
      return {
        ...{
          ord,
          id: "01980000-0000-7000-8000-000000000001",
          organisationId: "o",
          externalId: "e",
          memberId: "m",
        },
        ...{ state: stateOf(dates), network: "visa", merchantId: "SHARED", statementDescriptor: descriptor },
        ...{ amount: null, currency: null, authedAt: "2026-05-01T10:00:00.000000Z", ...dates },
        ...{ identifier6: "6".repeat(64), identifier8: null, firstDescriptor: null },
      };
    }),
  );

/** Cuts them into batches of one to three. */
function cut<T>(all: readonly T[], sizes: () => number): T[][] {
  const batches: T[][] = [];
  for (let at = 0; at < all.length; at += batches.at(-1)?.length ?? 0) {
    batches.push(all.slice(at, at + 1 + (sizes() % 3)));
  }
  return batches;
}

/**
 * The messages that ingest publishes for the events, in batches of these sizes: one for each that changes
 * something.
 */
function publish(events: readonly BatchEvent[], sizes: () => number): Uint8Array[] {
  const stored = new Map<string, StoredTransaction>();
  const messages: Uint8Array[] = [];
  for (const batch of cut(events, sizes)) {
    const { created, updated } = foldEvents(batch, stored);
    for (const { transaction } of [...created, ...updated]) {
      stored.set(keyOf(transaction), transaction);
      messages.push(packRecordMessage(writeRecords(transaction)));
    }
  }
  return messages;
}

/** The retailers that the platform found for the purchase, one after the other. */
function route(messages: readonly Uint8Array[], sizes: () => number): readonly string[] {
  const seen = new Set<string>();
  let stored: PurchaseRecord | undefined;
  for (const batch of cut(messages, sizes)) {
    for (const { record } of readRecords(batch, CONFIGURATION).routed) {
      const merged = stored === undefined ? record : mergeRecord(stored, record, false);
      // In the form in which it is read from its row.
      stored = { ...merged, isFirstDescriptor: merged.state === "authorized" };
      seen.add(stored.route.retailerId);
    }
  }
  return [...seen];
}

t.test(
  "first descriptor - a purchase belongs to one retailer, however its events and records come",
  async () => {
    fc.assert(
      fc.property(histories, fc.infiniteStream(fc.nat()), (events, numbers) => {
        const next = () => numbers.next().value;
        const each = () => 0;
        const expected = route(publish(events, each), each);
        assert.ok(expected.length <= 1, `${expected}`);
        for (let run = 0; run < 5; run++) {
          const messages = publish(events, next).map((message) => ({ message, at: next() }));
          const shuffled = messages.sort((a, b) => a.at - b.at).map(({ message }) => message);
          assert.deepEqual(route(shuffled, next), expected);
        }
      }),
      { numRuns: 2_000 },
    );
  },
);
