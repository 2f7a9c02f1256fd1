import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { type TestMember, testMember, testStore } from "#test-support";
import { awaitRecord, traceTransaction } from "./transaction-trace.ts";

/* Whether a record has been published follows from how far its partition is published. */

const PARTITION = 3;

let store: Store;
let member: TestMember;

t.before(async () => {
  store = await testStore();
  member = await testMember(store);
  const { organisationId, memberId } = member;
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              identifier_6)
    values ('2026-03-01T10:00:00Z', ${organisationId}, ${uuidv7()}, ${memberId}, 'one', 'authorized', 'visa', 'm',
            sha256('one'))`;
});

async function stands(applied: number, published: number): Promise<void> {
  await store`
    insert into ingest_positions as p (partition, epoch, applied, published, stream_created)
    values (${PARTITION}, 1, ${applied}, ${published}, 'now')
    on conflict (partition) do update set applied = ${applied}, published = ${published}`;
}

async function traced() {
  const key = { organisationId: member.organisationId, externalId: "one", partition: PARTITION };
  const trace = await traceTransaction(store, key);
  const codes = trace?.waiting.map(({ code }) => code);
  return { codes, sent: trace?.steps.some(({ kind }) => kind === "sent_to_platform") };
}

const WAITS = { codes: ["no_links", "platform", "clearing"], sent: false };
const HAS_LEFT = { codes: ["no_links", "clearing"], sent: true };

t.test(
  "nothing was ever ingested in the partition: it came otherwise, and nothing is under way",
  async (t) => {
    t.strictSame(await traced(), HAS_LEFT);
  },
);

t.test("while its partition is not published as far as it was applied, the record may wait", async (t) => {
  await stands(7, 6);
  t.strictSame(await traced(), WAITS);
});

t.test(
  "it has left when its partition is published that far, however much was applied meanwhile",
  async (t) => {
    const asItWasRead = { applied: 7, published: 6 };
    await stands(9, 7);
    t.equal(await awaitRecord(store, asItWasRead, PARTITION), true);
    await stands(9, 6);
    t.equal(await awaitRecord(store, asItWasRead, PARTITION), false);
    // The sequences of a recreated stream are lower.
    await stands(2, 2);
    t.equal(await awaitRecord(store, asItWasRead, PARTITION), true);
  },
);
