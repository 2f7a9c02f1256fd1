import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { testOrganisation, testStore } from "#test-support";
import type { KeptIgnored, KeptRejection } from "../../../ingest/src/batch/collect-findings.ts";
import { keepFindings } from "../../../ingest/src/batch/keep-findings.ts";
import { type Place, toBatchPlaces } from "../ingest/batch-places.ts";
import { judgeBatch, type PartitionGap, type PartitionNow, readBatch } from "./read-batch.ts";

const GIVEN_AT = Date.parse("2026-05-10T10:00:00Z");
const FIRST = "2026-05-01T10:00:00.000000001Z";
const SECOND = "2026-05-02T10:00:00Z";
const THIRD = "2026-05-20T10:00:00Z";

const place = (partition: number, sequence: number, ...created: [string | undefined] | []): Place => ({
  partition,
  sequence,
  streamCreated: created.length === 0 ? FIRST : created[0],
});
const now = (partition: number, applied: number, streamCreated = FIRST): PartitionNow => ({
  partition,
  applied,
  streamCreated,
});
const gap = (changes: Partial<PartitionGap>): PartitionGap => ({
  partition: 0,
  applied: 10,
  streamCreated: FIRST,
  lostThrough: null,
  noticedAt: GIVEN_AT + 1,
  ...changes,
});
const judge = (
  places: readonly Place[],
  positions: readonly PartitionNow[],
  gaps: readonly PartitionGap[] = [],
) => judgeBatch(GIVEN_AT, toBatchPlaces(5, places), positions, gaps);

t.test("batch - it is processed when every partition is at or past its place", async (t) => {
  const places = [place(0, 7), place(3, 9, SECOND)];
  t.equal(judge(places, [now(0, 7), now(3, 9, SECOND)]), "processed");
  t.equal(judge(places, [now(0, 7), now(3, 8, SECOND)]), "pending");
  t.equal(judge(places, [now(0, 6), now(3, 90, SECOND)]), "pending");
  t.equal(judge(places, [now(0, 7)]), "pending", "nothing was ever applied there");
  t.equal(judge(places, []), "pending");
});

t.test("batch - a recreated stream: applied messages are processed, the others lost", async (t) => {
  const positions = [now(0, 2, THIRD), now(1, 50)];
  const gaps = [gap({})];
  t.equal(judge([place(0, 10), place(1, 50)], positions, gaps), "processed");
  t.equal(judge([place(0, 11), place(1, 50)], positions, gaps), "lost");
  t.equal(judge([place(0, 11), place(1, 51)], positions, gaps), "lost", "also while others are pending");
  t.equal(judge([place(0, 10), place(1, 51)], positions, gaps), "pending");
  t.equal(judge([place(0, 2, THIRD)], positions, gaps), "processed", "one of the new stream counts there");
  t.equal(judge([place(0, 3, THIRD)], positions, gaps), "pending");
  const again = [...gaps, gap({ streamCreated: THIRD, applied: 4 })];
  const latest = [now(0, 0, "2026-05-21T10:00:00Z")];
  t.equal(judge([place(0, 10)], latest, again), "processed", "recreated twice");
  t.equal(judge([place(0, 11)], latest, again), "lost");
  t.equal(judge([place(0, 4, THIRD)], latest, again), "processed");
  t.equal(judge([place(0, 5, THIRD)], latest, again), "lost");
});

t.test(
  "batch - one in a stream that ingest has not noticed yet is pending, also where the old one's number is higher",
  async (t) => {
    t.equal(judge([place(0, 1, THIRD)], [now(0, 10)]), "pending");
    t.equal(judge([place(0, 1, THIRD), place(1, 1)], [now(0, 10), now(1, 10)]), "pending");
  },
);

t.test(
  "batch - after a restore or a purge of its stream, the missing part is lost and the rest is not",
  async (t) => {
    const rewound = [gap({})];
    t.equal(judge([place(0, 10)], [now(0, 6)], rewound), "processed");
    t.equal(judge([place(0, 11)], [now(0, 60)], rewound), "lost", "others have its sequence now");
    t.equal(
      judge([place(0, 11)], [now(0, 60)], [gap({ noticedAt: GIVEN_AT - 1 })]),
      "processed",
      "it came after that",
    );
    const shorter = [gap({ lostThrough: 14 })];
    t.equal(judge([place(0, 14)], [now(0, 20)], shorter), "lost");
    t.equal(judge([place(0, 15)], [now(0, 20)], shorter), "processed");
    t.equal(judge([place(0, 15)], [now(0, 14)], shorter), "pending");
  },
);

t.test(
  "regression - a batch in two streams that were never there together was pending for ever",
  async (t) => {
    const positions = [now(0, 50, SECOND), now(1, 50, THIRD)];
    const gaps = [gap({ applied: 3 }), gap({ partition: 1, applied: 3 })];
    // On its second look the edge found that the first stream had been replaced.
    t.equal(judge([place(0, 5, undefined), place(1, 5, THIRD)], positions, gaps), "lost");
    t.equal(judge([place(0, 5, undefined)], [now(0, 1)]), "lost", "also before ingest has noticed");
  },
);

t.test("regression - a batch in a stream that ingest never saw was pending for ever", async (t) => {
  const gaps = [gap({ applied: 3 })];
  t.equal(judge([place(0, 5, SECOND)], [now(0, 50, THIRD)], gaps), "lost");
  t.equal(judge([place(0, 5, SECOND)], [now(0, 50, FIRST)]), "pending", "it may still come to it");
});

let store: Store;
t.before(async () => {
  store = await testStore();
});

t.test(
  "batch - its rejected and ignored events are read by their index, and none of other batches",
  async (t) => {
    const [organisationId, other] = [await testOrganisation(store), await testOrganisation(store)];
    const batch = uuidv7();
    const kept = (index: number, of = organisationId, batchId = batch) => ({
      organisationId: of,
      externalId: `e${index}`,
      batchId,
      index,
    });
    const rejection = { code: "conflict", reason: "identity_mismatch", field: "card" } as const;
    const rejected = (one: ReturnType<typeof kept>): KeptRejection => ({
      ...one,
      memberId: null,
      rejection,
      awaited: false,
    });
    const ignored = (one: ReturnType<typeof kept>): KeptIgnored => ({ ...one, fields: ["amount"] });
    await keepFindings(store, {
      rejected: [rejected(kept(4)), rejected(kept(5, organisationId, uuidv7())), rejected(kept(6, other))],
      ignored: Array.from({ length: 120 }, (_, n) => ignored(kept(1_000 - n))),
    });
    await keepFindings(store, {
      rejected: [rejected(kept(1))],
      ignored: [ignored(kept(3, other)), ignored(kept(2))],
    });
    // Its stream was restored, and its message was applied again.
    await keepFindings(store, { rejected: [rejected(kept(1))], ignored: [ignored(kept(2))] });
    const streamCreated = FIRST;
    await store`
    insert into ingest_positions (partition, epoch, applied, published, stream_created)
    values (41, 1, 8, 8, ${streamCreated})`;
    const read = (sequence: number) =>
      readBatch(store, organisationId, { batch, places: toBatchPlaces(200, [place(41, sequence)]) });
    const done = await read(8);
    t.match(done, { status: "processed", accepted: 198, ignoredCount: 121 });
    t.strictSame(done.rejected, [
      { index: 1, external_id: "e1", ...rejection },
      { index: 4, external_id: "e4", ...rejection },
    ]);
    t.equal(done.ignored.length, 100);
    t.strictSame(done.ignored.slice(0, 2), [
      { index: 2, external_id: "e2", fields: ["amount"] },
      { index: 881, external_id: "e881", fields: ["amount"] },
    ]);
    t.match(
      await read(9),
      { status: "pending", accepted: 0, ignoredCount: 121 },
      "the known part is reported already",
    );
  },
);
