import t from "tap";
import { uuidv7 } from "uuidv7";
import { closeStore, connectStore } from "#postgres";
import { createOrganisation } from "#publisher-db";
import { testServers } from "#test-support";
import { createMemberbase } from "../../../../services/edge/src/members/memberbases.ts";
import { upsertMembers } from "../../../../services/edge/src/members/upsert-members.ts";
import { runCommand } from "../test-command.ts";

t.test("verify - lists its checks; with a fault it shows the row and fails", async (t) => {
  const url = await (await testServers()).databaseUrl();
  const store = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const sound = await run(url);
  t.equal(sound.code, 0);
  t.match(sound.out, /^faults\trows\twhat must hold\n0\t0\tcounter: .*\n/);
  t.equal(sound.err, "0 faults; 0 rows whose transaction's settlement is on its way\n");

  const { id: organisationId } = await createOrganisation(store, { id: uuidv7(), name: "test" });
  const { id: memberbaseId } = await createMemberbase(store, { id: uuidv7(), organisationId, name: "test" });
  const members = Array.from({ length: 25 }, (_, at) => ({ ref: `member ${at}` }));
  const ids = members.map(() => uuidv7());
  await upsertMembers(store, { organisationId, memberbaseId, members, ids });
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, unredeemed_purchases)
    select id, organisation_id, id, ${uuidv7()}, 2 from members`;
  const damaged = await run(url);
  t.equal(damaged.code, 1);
  t.match(damaged.out, /^25\t25\tcounter: /m);
  t.ok(damaged.out.includes(`\t\t${ids[0]} of organisation ${organisationId}: counts 2, 0 live stamps`));
  t.equal(damaged.out.match(/counts 2/g)?.length, 20);
  t.match(damaged.out, /… and 5 more/);
  t.match(damaged.err, /^50 faults; /);
});

const run = (databaseUrl: string) => runCommand(["verify"], { DATABASE_URL: databaseUrl });
