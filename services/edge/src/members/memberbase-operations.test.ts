import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { testOrganisation, testStore } from "#test-support";
import { createMemberbase, getMemberbase, listMemberbases } from "./memberbases.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

t.test("memberbase - a created one is read back; an unknown one is not found", async (t) => {
  const organisationId = await testOrganisation(store);
  const created = await createMemberbase(store, { id: uuidv7(), organisationId, name: "Stammkunden" });
  t.match(created, { name: "Stammkunden", createdAt: Date, updatedAt: Date, deletedAt: null });
  t.strictSame(await getMemberbase(store, organisationId, created.id), created);
  t.equal(await getMemberbase(store, organisationId, uuidv7()), undefined);
});

t.test("memberbase - a list counts all, pages by id and leaves the deleted ones out", async (t) => {
  const organisationId = await testOrganisation(store);
  const ids = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  for (const id of ids) await createMemberbase(store, { id, organisationId, name: "same name" });
  const deleted = ids.splice(1, 1)[0] as string;
  await store`update memberbases set deleted_at = now() where id = ${deleted}`;
  t.equal(await getMemberbase(store, organisationId, deleted), undefined);

  const first = await listMemberbases(store, organisationId, { limit: 2 });
  t.strictSame(
    first.records.map(({ id }) => id),
    ids.slice(0, 2),
  );
  t.match(first, { more: true, total: 3 });
  const second = await listMemberbases(store, organisationId, { limit: 2, after: ids[1] });
  t.strictSame(
    second.records.map(({ id }) => id),
    ids.slice(2),
  );
  t.match(second, { more: false, total: 3 });
  const beyond = await listMemberbases(store, organisationId, { limit: 2, skip: 3 });
  t.match(beyond, { records: [], more: false, total: 3 });
});
