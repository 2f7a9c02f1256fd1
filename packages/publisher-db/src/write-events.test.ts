import t from "tap";
import { uuidv7 } from "uuidv7";
import { encodeId } from "#domain";
import type { Store } from "#postgres";
import { testOrganisation, testStore } from "#test-support";
import { toldBody } from "./told-body.ts";
import { type StoredEvent, writeEvents } from "./write-events.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

async function newMember(ref: string) {
  const organisationId = await testOrganisation(store);
  const [memberbase, id] = [uuidv7(), uuidv7()];
  await store`insert into memberbases (id, organisation_id, name) values (${memberbase}, ${organisationId}, 'm')`;
  await store`
    insert into members (id, organisation_id, memberbase_id, ref) values (${id}, ${organisationId}, ${memberbase}, ${ref})`;
  return { id, organisationId, memberbase };
}

async function told(eventId: string): Promise<unknown> {
  const [row] = await store<
    { body: string }[]
  >`select ${toldBody(store)} as body from events e where id = ${eventId}`;
  return JSON.parse(row?.body ?? "null");
}

/** The stored body of an event of this member. */
async function written(
  organisationId: string,
  memberId: string | null | undefined,
  id = uuidv7(),
): Promise<unknown> {
  const at = "2026-05-01T10:00:00Z";
  const event: StoredEvent = {
    id,
    organisationId,
    type: "cashback.created",
    at,
    transactionId: null,
    memberId,
    body: '{"amount":5}',
  };
  await store.begin((sql) => writeEvents(sql, [event]));
  return told(id);
}

const NO_MEMBER = { amount: 5, member_id: null, member_ref: null };

t.test("event - carries its member's id and ref, with any characters", async (t) => {
  for (const ref of ["c-1", 'a "quoted" \\ ref', "Zoë 🎉 مرحبا"]) {
    const { id, organisationId } = await newMember(ref);
    const expected = { amount: 5, member_id: encodeId("m", id), member_ref: ref };
    t.strictSame(await written(organisationId, id), expected);
  }
});

t.test("event - both are null where the event has no member, and once that is deleted", async (t) => {
  const one = await newMember("c-2");
  const earlier = uuidv7();
  await written(one.organisationId, one.id, earlier);
  t.strictSame(await written(one.organisationId, null), NO_MEMBER);
  await store`delete from members where id = ${one.id}`;
  t.strictSame(await told(earlier), NO_MEMBER, "earlier events, too");
  t.strictSame(await written(one.organisationId, one.id), NO_MEMBER);
  const two = await newMember("c-3");
  await store`update memberbases set deleted_at = now() where id = ${two.memberbase}`;
  t.strictSame(
    await written(two.organisationId, two.id),
    NO_MEMBER,
    "its memberbase is deleted, and it is still there",
  );
  t.strictSame(await written(two.organisationId, undefined), { amount: 5 }, "a body that is whole stays");
});
