import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { testDeal, testMember, testStore, waitForLocks } from "#test-support";
import { dropNewLinks, takeNewLinks } from "../../../ingest/src/publish/new-links.ts";
import { noteLateRetroactive, stepLateRetroactive } from "./late-retroactive.ts";

let store: Store;

t.before(async () => {
  store = await testStore(4);
});

t.beforeEach(async () => {
  await store`truncate new_links, late_retroactive, clips`;
});

const step = () => store.begin(stepLateRetroactive);
const waitingLinks = () => store<{ id: string; again: boolean }[]>`
  select id, is_told_again as again from new_links order by id`;

/** A clip made now, of a deal that rewards now learns to have been retroactive for an hour. */
async function lateClip(): Promise<string> {
  const [{ organisationId, memberId }, id, dealId] = [
    await testMember(store),
    uuidv7(),
    await testDeal(store, { retroactive: true }),
  ];
  await store`
    insert into clips (id, organisation_id, member_id, deal_id) values (${id}, ${organisationId}, ${memberId}, ${dealId})`;
  const anHourAgo = (Date.now() - 3_600_000) * 1000;
  await store.begin((sql) => noteLateRetroactive(sql, { kind: "deal", id: dealId }, anHourAgo));
  return id;
}

const waitToBeTold = (count: number, isAgain: boolean) => store`
  insert into new_links (id, made_at, member_id, deal_id, is_told_again)
  select gen_random_uuid(), now(), gen_random_uuid(), gen_random_uuid(), ${isAgain} from generate_series(1, ${count}::int)`;

/** Does the same as a member who saves a deal. */
const saved = (id: string) => store`
  insert into new_links (id, made_at, member_id, deal_id) select id, created_at, member_id, deal_id from clips where id = ${id}`;

t.test(
  "regression - a link that was being told when configuration came late was not told again",
  async (t) => {
    const clip = await lateClip();
    await saved(clip);
    let stepping: Promise<boolean> | undefined;
    await store.begin(async (sql) => {
      const { links } = await takeNewLinks(sql, [clip]);
      stepping = step();
      await waitForLocks(store);
      await dropNewLinks(sql, links);
    });
    t.equal(await stepping, true);
    t.strictSame([...(await waitingLinks())], [{ id: clip, again: true }]);
  },
);

t.test("late configuration - a link that waits to be told stays a new one", async (t) => {
  const clip = await lateClip();
  await saved(clip);
  t.equal(await step(), true);
  t.strictSame([...(await waitingLinks())], [{ id: clip, again: false }]);
});

t.test("regression - links that configuration tells again came in millions before new ones", async (t) => {
  const clip = await lateClip();
  await waitToBeTold(2000, true);
  t.equal(await step(), false, "enough wait");
  t.equal((await waitingLinks()).length, 2000);
  await store`delete from new_links where id = (select id from new_links limit 1)`;
  t.equal(await step(), true);
  t.match(
    (await waitingLinks()).filter(({ id }) => id === clip),
    [{ again: true }],
  );
});

t.test("regression - late configuration waited for the new links of a full stream", async (t) => {
  const clip = await lateClip();
  await waitToBeTold(2000, false);
  t.equal(await step(), true);
  t.match(
    (await waitingLinks()).filter(({ again }) => again),
    [{ id: clip }],
  );
});
