import { randomUUID } from "node:crypto";
import t from "tap";
import { LIMITS } from "#contract";
import { decodeRecords, packRecordMessage, writeRecord } from "#contract/codec";
import type { PlatformRecord } from "#contract/platform";
import { MESSAGE_VALIDATORS } from "#contract/validation";
import type { StoredTransaction } from "#domain";
import { addLinks, type Entry, writeRecords } from "./platform-record.ts";

const PURCHASE: StoredTransaction = {
  id: randomUUID(),
  organisationId: randomUUID(),
  externalId: "order-1",
  memberId: randomUUID(),
  state: "cleared",
  network: "visa",
  merchantId: "M-1",
  statementDescriptor: "BAR 1",
  amount: null,
  currency: null,
  authedAt: "2026-03-01T10:00:00.000000Z",
  clearedAt: "2026-03-02T10:00:00.000000Z",
  revertedAt: null,
  identifier6: "06".repeat(32),
  identifier8: null,
  firstDescriptor: "CAFE 1",
};
const read = ({ piece }: Pick<Entry<Uint8Array>, "piece">) => decodeRecords(packRecordMessage([piece]));

t.test(
  "records - a purchase with two descriptors has two records, the first descriptor's first",
  async (t) => {
    const said = decodeRecords(packRecordMessage(writeRecords(PURCHASE)));
    const [first, second] = said as [PlatformRecord, PlatformRecord];
    t.ok(said.every((record) => MESSAGE_VALIDATORS.platformRecord(record)));
    t.strictSame([first.statement_descriptor, second.statement_descriptor], ["CAFE 1", "BAR 1"]);
    t.strictSame({ ...first, statement_descriptor: "BAR 1" }, second);
    t.equal(writeRecords({ ...PURCHASE, firstDescriptor: null }).length, 1);
  },
);

t.test(
  "regression - a member with thousands of links made a record that NATS refused for ever",
  async (t) => {
    const clips = Array.from({ length: 9_000 }, () => ({ id: randomUUID(), dealId: randomUUID() }));
    const enrolments = Array.from({ length: 9_000 }, () => ({
      id: randomUUID(),
      loyaltyProgramId: randomUUID(),
    }));
    const entries = addLinks(writeRecords(PURCHASE), { clips, enrolments });
    t.ok(entries.every(({ piece }) => piece.length <= LIMITS.messageBytes + 2_000));
    t.ok(
      entries.every((entry) => entry.count === 2 && read(entry).length === 2),
      "both descriptors stay together",
    );
    for (const descriptor of ["CAFE 1", "BAR 1"]) {
      const records = entries.flatMap(read).filter((record) => record.statement_descriptor === descriptor);
      t.ok(records.every((record) => MESSAGE_VALIDATORS.platformRecord(record)));
      t.equal(new Set(records.map((record) => record.transaction_id)).size, 1);
      t.equal(new Set(records.flatMap((record) => record.clips.map(({ clip_id }) => clip_id))).size, 9_000);
      const cards = records.flatMap((record) => record.enrolments.map((one) => one.stamp_collection_id));
      t.equal(new Set(cards).size, 9_000);
    }
    const few = addLinks([writeRecord(PURCHASE)], { clips: clips.slice(0, 9), enrolments: [] });
    t.equal(few.length, 1, "nearly always one");
  },
);
