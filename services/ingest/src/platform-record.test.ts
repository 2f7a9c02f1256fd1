import { randomUUID } from "node:crypto";
import t from "tap";
import { LIMITS } from "#contract";
import type { PlatformRecord } from "#contract/platform";
import { MESSAGE_VALIDATORS } from "#contract/validation";
import { writeRecord } from "./platform-record.ts";
import { addLinks } from "./publish-changes.ts";

const RECORD = writeRecord({
  id: randomUUID(),
  identifier6: "06".repeat(32),
  identifier8: null,
  merchantId: "M-1",
  statementDescriptor: null,
  authedAt: "2026-03-01T10:00:00.000000Z",
  clearedAt: null,
  revertedAt: null,
});

t.test(
  "regression - a member with thousands of links made a record that NATS refused for ever",
  async (t) => {
    const clips = Array.from({ length: 9_000 }, () => ({ id: randomUUID(), dealId: randomUUID() }));
    const enrolments = Array.from({ length: 9_000 }, () => ({
      id: randomUUID(),
      loyaltyProgramId: randomUUID(),
    }));
    const texts = addLinks(RECORD, { clips, enrolments });
    t.ok(texts.every((text) => Buffer.byteLength(text) <= LIMITS.messageBytes));
    const records = texts.map((text) => JSON.parse(text) as PlatformRecord);
    t.ok(records.every((record) => MESSAGE_VALIDATORS.platformRecord(record)));
    t.equal(new Set(records.map((record) => record.transaction_id)).size, 1);
    t.equal(new Set(records.flatMap((record) => record.clips.map(({ clip_id }) => clip_id))).size, 9_000);
    const cards = records.flatMap((record) => record.enrolments.map((one) => one.stamp_collection_id));
    t.equal(new Set(cards).size, 9_000);
    t.equal(addLinks(RECORD, { clips: clips.slice(0, 9), enrolments: [] }).length, 1, "nearly always one");
  },
);
