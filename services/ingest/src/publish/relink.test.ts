import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS } from "#contract";
import { decodeRecords } from "#contract/codec";
import type { PlatformRecord } from "#contract/platform";
import { encodeId, partitionOf, transactionId } from "#domain";
import { connectStream, ensureTopology, streamName } from "#nats";
import { closeStore, connectStore } from "#postgres";
import { createLog } from "#runtime";
import { isolation, testDeal, testMember, testMemberbase, testServers } from "#test-support";
import { createRelinking } from "./relink.ts";

const MEMBERS = 1500;
/** The purchases of one member; all others have two. */
const MANY = 1300;

async function setUp(t: Test, partitions = 1) {
  const servers = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: servers.natsUrl, name: "test", prefix: isolation(), log });
  await ensureTopology(stream, { partitions, maxBytes: 2 ** 23, linkMaxBytes: 2 ** 23 });
  const store = connectStore({ url: await servers.databaseUrl(), max: 4, applicationName: "test" });
  t.teardown(async () => {
    await stream.close();
    await closeStore(store);
  });
  return { store, stream, log };
}

t.test(
  "relinking - a purchase that cleared with another descriptor is published with both, in one message",
  async (t) => {
    const { store, stream, log } = await setUp(t);
    const { organisationId, memberId } = await testMember(store);
    const deal = await testDeal(store, { retroactive: true });
    const id = transactionId("key", organisationId, "order-1", Date.now() - 60_000);
    await store`
    insert into transactions (authed_at, cleared_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              statement_descriptor, first_descriptor, identifier_6)
    values (now() - interval '1 minute', now(), ${organisationId}, ${id}, ${memberId}, 'order-1', 'cleared', 'visa', 'M',
            'BAR 1', 'CAFE 1', sha256('x'))`;
    await store`
    with saved as (
      insert into clips (id, organisation_id, member_id, deal_id)
      values (gen_random_uuid(), ${organisationId}, ${memberId}, ${deal}) returning *
    )
    insert into new_links (id, made_at, member_id, deal_id) select id, created_at, member_id, deal_id from saved`;
    await createRelinking({ store, stream, partitions: 1, log })(new AbortController().signal);
    const name = streamName(stream, FLOW.platformTransactions, 0);
    const message = await stream.manager.streams.getMessage(name, { seq: 1 });
    t.equal(message?.header.get(HEADERS.rows), "2");
    const records = message === null ? [] : decodeRecords(message.data);
    t.strictSame(
      records.map(({ statement_descriptor, clips }) => [statement_descriptor, clips.length]),
      [
        ["CAFE 1", 1],
        ["BAR 1", 1],
      ],
    );
  },
);

t.test(
  "regression - a new link had an older clip told for the newest purchase alone, apart from the others that it makes count",
  async (t) => {
    const { store, stream, log } = await setUp(t);
    const { organisationId, memberId } = await testMember(store);
    const now = Date.now();
    for (const [ref, ago] of [
      ["new", 30_000],
      ["old", 3_600_000],
    ] as const) {
      const id = transactionId("key", organisationId, ref, now - ago);
      await store`
        insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                                  identifier_6)
        values (to_timestamp(${(now - ago) / 1000}::float8), ${organisationId}, ${id}, ${memberId}, ${ref}, 'authorized', 'visa', 'M',
                sha256('x'))`;
    }
    const [earlier, later] = [
      await testDeal(store, { retroactive: true }),
      await testDeal(store, { retroactive: false }),
    ];
    const relink = createRelinking({ store, stream, partitions: 1, log });
    const clips: string[] = [];
    for (const deal of [earlier, later]) {
      const [clip] = await store<{ id: string }[]>`
        with saved as (
          insert into clips (id, organisation_id, member_id, deal_id)
          values (gen_random_uuid(), ${organisationId}, ${memberId}, ${deal}) returning *
        )
        insert into new_links (id, made_at, member_id, deal_id) select id, created_at, member_id, deal_id from saved
        returning id`;
      clips.push(encodeId("clip", clip?.id as string));
      await relink(new AbortController().signal);
    }
    const name = streamName(stream, FLOW.platformTransactions, 0);
    const said: string[][][] = [];
    for (let seq = 1; seq <= 2; seq++) {
      const message = await stream.manager.streams.getMessage(name, { seq });
      const records = message === null ? [] : decodeRecords(message.data);
      said.push(records.map((record) => record.clips.map(({ clip_id }) => clip_id)));
    }
    const [first = "", second = ""] = clips;
    t.strictSame(said, [[[first], [first]], [[second]]]);
  },
);

t.test("regression - new links were published one after the other, hours after a campaign", async (t) => {
  const { store, stream, log } = await setUp(t);
  const { organisationId, memberbaseId } = await testMemberbase(store);
  const deal = await testDeal(store, { retroactive: true });
  await store`
    insert into members (id, organisation_id, memberbase_id, ref, linked)
    select gen_random_uuid(), ${organisationId}, ${memberbaseId}, 'member ' || n, true
    from generate_series(1, ${MEMBERS}::int) as n`;
  // Two purchases of each: one an hour ago, and one a second ago. Their ids begin with the time, as in
  // `transactionId`.
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              identifier_6)
    select at, ${organisationId},
           (overlay(gen_random_uuid()::text placing
             regexp_replace(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), '^(.{8})', '\\1-') from 1 for 13))::uuid,
           m.id, m.ref || ' ' || ago, 'authorized', 'visa', 'M', sha256('x')
    from members m cross join (values ('1 second'), ('1 hour')) as bought (ago)
    cross join lateral (select now() - ago::interval as at) as times`;
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              identifier_6)
    select at, ${organisationId},
           (overlay(gen_random_uuid()::text placing
             regexp_replace(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), '^(.{8})', '\\1-') from 1 for 13))::uuid,
           m.id, m.ref || ' many ' || n, 'authorized', 'visa', 'M', sha256('x')
    from members m cross join generate_series(1, ${MANY - 2}::int) as n
    cross join lateral (select now() - interval '1 minute' - n * interval '1 second' as at) as times
    where m.ref = 'member 7'`;
  await store`
    insert into clips (id, organisation_id, member_id, deal_id)
    select gen_random_uuid(), organisation_id, id, ${deal} from members`;
  await store`
    insert into new_links (id, made_at, member_id, deal_id) select id, created_at, member_id, deal_id from clips`;

  await createRelinking({ store, stream, partitions: 1, log })(new AbortController().signal);

  t.strictSame(await store`select from new_links`, [], "all are published");
  const name = streamName(stream, FLOW.platformTransactions, 0);
  const { state } = await stream.manager.streams.info(name);
  t.ok(state.messages <= 20, `${state.messages} messages say so`);
  const records: PlatformRecord[] = [];
  const placed = new Map<string, number>();
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await stream.manager.streams.getMessage(name, { seq });
    const some = message === null ? [] : decodeRecords(message.data);
    for (const { transaction_id } of some) placed.set(transaction_id, seq);
    records.push(...some);
  }
  t.equal(records.length, 2 * (MEMBERS - 1) + MANY);
  t.ok(records.every(({ clips }) => clips.length === 1));
  const rows = await store<{ id: string; memberId: string }[]>`
    select id, member_id as "memberId" from transactions order by member_id, authed_at desc`;
  const told = records.map(({ transaction_id }) => transaction_id);
  const places = new Map(told.map((id, place) => [id, place]));
  const isTogether = rows.every(({ id, memberId }, i) => {
    const next = rows[i + 1];
    if (next?.memberId !== memberId) return true;
    return places.get(encodeId("tx", next.id)) === (places.get(encodeId("tx", id)) as number) + 1;
  });
  const messagesOf = new Map<string, Set<number>>();
  for (const { id, memberId } of rows) {
    const own = messagesOf.get(memberId) ?? new Set();
    messagesOf.set(memberId, own.add(placed.get(encodeId("tx", id)) as number));
  }
  const parted = [...messagesOf].filter(([, messages]) => messages.size > 1);
  t.equal(parted.length, 1, "a receiver takes two messages concurrently");
  const [[many] = [""]] = parted;
  const first = rows.filter(({ memberId }) => memberId === many).slice(0, 1000);
  t.equal(
    new Set(first.map(({ id }) => placed.get(encodeId("tx", id)))).size,
    1,
    "one message has a thousand",
  );
  t.ok(isTogether, "those of a member one after the other, the newest first");
});

t.test("regression - one full stream kept the links of all members from being told", async (t) => {
  const partitions = 2;
  const { store, stream, log } = await setUp(t, partitions);
  const { organisationId, memberbaseId } = await testMemberbase(store);
  const deal = await testDeal(store, { retroactive: false });
  /** Members of a partition save a deal, each a moment after a purchase. Returns the purchases. */
  const save = async (partition: number, count: number, isAgain: boolean) => {
    const members: string[] = [];
    while (members.length < count) {
      const id = uuidv7();
      if (partitionOf(id, partitions) === partition) members.push(id);
    }
    const at = Date.now() - 1_000;
    const purchases = members.map((member) => transactionId("key", organisationId, member, at));
    await store`
      insert into members (id, organisation_id, memberbase_id, ref, linked)
      select id, ${organisationId}, ${memberbaseId}, id::text, true from unnest(${members}::uuid[]) as m (id)`;
    await store`
      insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                                identifier_6)
      select to_timestamp(${at / 1000}::float8), ${organisationId}, t.id, t.member, t.member::text, 'authorized', 'visa', 'M', sha256('x')
      from unnest(${purchases}::uuid[], ${members}::uuid[]) as t (id, member)`;
    await store`
      with saved as (
        insert into clips (id, organisation_id, member_id, deal_id)
        select s.id, ${organisationId}, s.member, ${deal} from unnest(${members.map(() => uuidv7())}::uuid[], ${members}::uuid[]) as s (id, member)
        returning *
      )
      insert into new_links (id, made_at, member_id, deal_id, is_told_again)
      select id, created_at, member_id, deal_id, ${isAgain} from saved`;
    return purchases.map((id) => encodeId("tx", id)).sort();
  };
  const waiting = async () => {
    const rows = await store<{ memberId: string }[]>`select member_id as "memberId" from new_links`;
    const of = (partition: number) =>
      rows.filter(({ memberId }) => partitionOf(memberId, partitions) === partition).length;
    return [of(0), of(1)];
  };
  /** The purchases of all records in a partition's stream. */
  const said = async (partition: number) => {
    const name = streamName(stream, FLOW.platformTransactions, partition);
    const { state } = await stream.manager.streams.info(name);
    const purchases: string[] = [];
    for (let seq = 1; seq <= state.last_seq; seq++) {
      const message = await stream.manager.streams.getMessage(name, { seq });
      if (message !== null) purchases.push(...decodeRecords(message.data).map((one) => one.transaction_id));
    }
    return purchases.sort();
  };
  let now = 0;
  const relink = createRelinking({ store, stream, partitions, log }, () => now);
  const round = () => relink(new AbortController().signal);
  const full = streamName(stream, FLOW.platformTransactions, 0);
  await stream.manager.streams.update(full, { max_bytes: 1 });

  const stuck = [...(await save(0, 1_200, false)), ...(await save(0, 1_200, true))];
  const told = [...(await save(1, 1, false)), ...(await save(1, 1, true))];
  await t.rejects(round(), { name: "PublishError", isFull: true }, "it says what is the matter");
  t.strictSame(await waiting(), [2_400, 0], "a thousand older links of the other partition keep none back");
  t.strictSame(await said(1), told.sort());

  t.equal(await round(), false, "the full stream is left alone");
  told.push(...(await save(1, 1, false)));
  stuck.push(...(await save(0, 1, false)));
  t.equal(await round(), true);
  t.strictSame(await waiting(), [2_401, 0], "later links are found");

  now += 5_000;
  told.push(...(await save(1, 1, false)));
  await t.rejects(round(), { name: "PublishError", isFull: true }, "it is tried again");
  t.strictSame(await waiting(), [2_401, 0]);
  t.strictSame(await said(0), []);

  await stream.manager.streams.update(full, { max_bytes: 2 ** 22 });
  now += 5_000;
  t.equal(await round(), true);
  t.strictSame(await waiting(), [0, 0]);
  t.strictSame(await said(0), stuck.sort(), "each once");
  t.strictSame(await said(1), told.sort(), "and those of the other are not repeated");
});
