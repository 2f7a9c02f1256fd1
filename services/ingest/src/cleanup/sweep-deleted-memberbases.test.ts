import t from "tap";
import { uuidv7 } from "uuidv7";
import { NIL_UUID } from "#domain";
import { explaining, testOrganisation, testStore } from "#test-support";
import { forgetMembers } from "./forget-members.ts";
import { lookForMembers } from "./sweep-deleted-memberbases.ts";

t.test("sweep - finds the members of each deleted memberbase, and no step reads all of these", async (t) => {
  const store = await testStore();
  const organisationId = await testOrganisation(store);
  await store`
    insert into memberbases (id, organisation_id, name, deleted_at)
    select gen_random_uuid(), ${organisationId}, 'empty', now() from generate_series(1, 12000)`;
  const full = ["00000000-0000-7000-8000-000000000001", "ffffffff-ffff-7fff-bfff-ffffffffffff"];
  for (const id of full) {
    await store`
      insert into memberbases (id, organisation_id, name, deleted_at) values (${id}, ${organisationId}, 'full', now())`;
    for (const ref of ["a", "b"]) {
      await store`
        insert into members (id, organisation_id, memberbase_id, ref) values (${uuidv7()}, ${organisationId}, ${id}, ${ref})`;
    }
  }
  await store.script("vacuum analyze memberbases");
  await forgetMembers(store);
  t.strictSame(await store`select ref from members`, []);

  const plans: string[] = [];
  const { id, last } = await lookForMembers(explaining(store, plans, "counted"), NIL_UUID);
  t.equal(id, null);
  t.type(last, "string");
  const rows = [...(plans[0] as string).matchAll(/(?:actual rows=|Filter: )(\d+)/g)].map(([, n]) =>
    Number(n),
  );
  t.ok(rows.length > 0 && Math.max(...rows) <= 5_000, String(plans[0]));
});

t.test("regression - members that another session holds kept all later memberbases waiting", async (t) => {
  const store = await testStore();
  const organisationId = await testOrganisation(store);
  const [first, second] = [uuidv7(), uuidv7()].sort() as [string, string];
  for (const id of [first, second]) {
    await store`
      insert into memberbases (id, organisation_id, name, deleted_at) values (${id}, ${organisationId}, 'x', now())`;
    await store`
      insert into members (id, organisation_id, memberbase_id, ref) values (${uuidv7()}, ${organisationId}, ${id}, 'a')`;
  }
  await store.begin(async (sql) => {
    await sql`select from members where memberbase_id = ${first} for update`;
    await forgetMembers(store);
    t.strictSame(await store`select memberbase_id as id from members`, [{ id: first }]);
  });
  await forgetMembers(store);
  t.strictSame(await store`select memberbase_id as id from members`, []);
});
