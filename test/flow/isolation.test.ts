import t, { type Test } from "tap";
import { ROUTES, type RouteName } from "#contract";
import {
  type FullOrganisation,
  fillOrganisation,
  makeEvent,
  type Pipeline,
  PublisherClient,
  type RawAnswer,
  startPipeline,
} from "#test-support";

/** Another organisation's record does not exist: 404, never 403, and the same text (contract, section 2). */

/** The caller's own records: a memberbase without members, and a webhook. */
interface Own {
  readonly base: string;
  readonly webhook: string;
}

/** A request for a route, made from the ids of one organisation's records. */
type Probe =
  /** Names a record; the answer must be as if the record did not exist. */
  | { readonly kind: "missing"; readonly body: (ids: FullOrganisation) => unknown }
  /** Names records; the answer must ignore those that do not exist. */
  | {
      readonly kind: "ignored";
      readonly body: (ids: FullOrganisation, own: Own) => unknown;
      readonly answer: object;
    }
  /** Lists the caller's records; the answer must show no others. */
  | { readonly kind: "list" }
  /** Makes a record of the caller's own, or reads records of all. */
  | { readonly kind: "names no record" };

const NAMES_NO_RECORD: readonly Probe[] = [{ kind: "names no record" }];
const byId = (id: (ids: FullOrganisation) => string, more: object = {}): readonly Probe[] => [
  { kind: "missing", body: (ids) => ({ id: id(ids), ...more }) },
];
const ofMember: readonly Probe[] = [{ kind: "missing", body: ({ member }) => ({ member_id: member }) }];

/** The requests for each route. A route without an entry does not compile, and a route left out here fails. */
const WALK: Readonly<Record<RouteName, readonly Probe[]>> = {
  "api-token/create": NAMES_NO_RECORD,
  "api-token/list": [{ kind: "list" }],
  "api-token/revoke": byId(({ api_token }) => api_token),
  "member-base/create": NAMES_NO_RECORD,
  "member-base/get": byId(({ member_base }) => member_base),
  "member-base/list": [{ kind: "list" }],
  "member-base/delete": byId(({ member_base }) => member_base),
  "member/list": [
    { kind: "missing", body: ({ member_base }) => ({ member_base_id: member_base }) },
    {
      kind: "missing",
      body: ({ member_base, member }) => ({
        member_base_id: member_base,
        filters: [{ key: "id", eq: member }],
      }),
    },
    {
      kind: "ignored",
      body: ({ member, ref }, { base }) => ({
        member_base_id: base,
        filters: [
          {
            or: [
              { key: "id", in: [member] },
              { key: "ref", eq: ref },
            ],
          },
        ],
      }),
      answer: { data: [], page: { total: 0 } },
    },
  ],
  "member/get": [
    ...byId(({ member }) => member),
    { kind: "missing", body: ({ member_base, ref }) => ({ member_base_id: member_base, ref }) },
  ],
  "member/find": [
    { kind: "ignored", body: ({ ref }) => ({ ref }), answer: { data: [], page: { more: false } } },
  ],
  "id/resolve": [
    ...byId(({ stamp_collection }) => stamp_collection),
    ...byId(({ clip }) => clip),
    ...byId(({ event }) => event),
  ],
  "member/bulk-upsert": [
    {
      kind: "missing",
      body: ({ member_base, ref }) => ({
        member_base_id: member_base,
        members: [{ ref, attributes: { a: 1 } }],
      }),
    },
  ],
  "member/bulk-delete": [
    {
      kind: "missing",
      body: ({ member_base, member }) => ({ member_base_id: member_base, member_ids: [member] }),
    },
    { kind: "missing", body: ({ member_base, ref }) => ({ member_base_id: member_base, refs: [ref] }) },
    {
      kind: "ignored",
      body: ({ member }, { base }) => ({ member_base_id: base, member_ids: [member] }),
      answer: { deleted: 0 },
    },
    {
      kind: "ignored",
      body: ({ ref }, { base }) => ({ member_base_id: base, refs: [ref] }),
      answer: { deleted: 0 },
    },
  ],
  "transaction.batch/get": byId(({ batch }) => batch),
  "transaction.rejection/list": [
    { kind: "list" },
    {
      kind: "ignored",
      body: ({ external_id }) => ({ external_id }),
      answer: { data: [], page: { page_size: 0, more: false } },
    },
    {
      kind: "ignored",
      body: ({ member }) => ({ member_id: member }),
      answer: { data: [], page: { page_size: 0, more: false } },
    },
  ],
  "transaction/list": ofMember,
  "transaction/export": [{ kind: "list" }],
  "transaction/get": [{ kind: "missing", body: ({ external_id }) => ({ external_id }) }],
  "transaction/trace": [{ kind: "missing", body: ({ external_id }) => ({ external_id }) }],
  "transaction/ingest": [
    {
      kind: "missing",
      body: ({ member }) => ({ events: [makeEvent(member, { external_id: "one and the same" })] }),
    },
  ],
  "loyalty-program/list": NAMES_NO_RECORD,
  "loyalty-program/get": NAMES_NO_RECORD,
  "deal/list": NAMES_NO_RECORD,
  "deal/get": NAMES_NO_RECORD,
  "wallet.stamp-collection/create": [
    {
      kind: "missing",
      body: ({ loyalty_program, member }) => ({ loyalty_program_id: loyalty_program, member_id: member }),
    },
  ],
  "wallet.stamp-collection/get": byId(({ stamp_collection }) => stamp_collection),
  "wallet.stamp-collection/list": ofMember,
  "qualifying-purchase/list": [
    { kind: "missing", body: ({ stamp_collection }) => ({ stamp_collection_id: stamp_collection }) },
  ],
  "wallet.clip/save": [
    { kind: "missing", body: ({ deal, member }) => ({ deal_id: deal, member_id: member }) },
  ],
  "wallet.clip/list": ofMember,
  "wallet.cashback/list": ofMember,
  "wallet.redemption/list": ofMember,
  "webhook/create": NAMES_NO_RECORD,
  "webhook/get": byId(({ webhook }) => webhook),
  "webhook/list": [{ kind: "list" }],
  "webhook/update": byId(({ webhook }) => webhook, { state: "paused" }),
  "webhook/delete": byId(({ webhook }) => webhook),
  "webhook/rotate-secret": byId(({ webhook }) => webhook),
  "webhook/retry": byId(({ webhook }) => webhook),
  "webhook/test": byId(({ webhook }) => webhook),
  "webhook.delivery/list": [{ kind: "missing", body: ({ webhook }) => ({ webhook_id: webhook }) }],
  "webhook.delivery/get": byId(({ delivery }) => delivery),
  "event/list": [{ kind: "list" }],
  "webhook.delivery/replay": [
    { kind: "missing", body: ({ webhook }) => ({ webhook_id: webhook, failed: true }) },
    { kind: "missing", body: ({ webhook }) => ({ webhook_id: webhook, since: "2020-01-01T00:00:00Z" }) },
    { kind: "missing", body: ({ webhook, event }) => ({ webhook_id: webhook, event_ids: [event] }) },
    {
      kind: "ignored",
      body: ({ event }, { webhook }) => ({ webhook_id: webhook, event_ids: [event] }),
      answer: { queued: 0 },
    },
  ],
};

const MARK = "zqtheirszq";

t.test("isolation - every route, with another organisation's ids", async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const { publisher } = pipeline;
  const theirs = await fillOrganisation(pipeline, publisher, MARK);
  const owner = new PublisherClient(pipeline.edge.url, publisher.token);
  // Their second batch was queued: otherwise ingest's unfinished work would look like a change.
  await owner.batchOf(theirs.batch);
  const stranger = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
  const hook = { url: "https://example.com/hook", events: ["cashback.created"] };
  const own: Own = {
    base: (await stranger.post("member-base/create", { name: "empty" })).body.id,
    webhook: (await stranger.post("webhook/create", hook)).body.id,
  };
  const before = await rowsOf(pipeline, publisher.organisationId);
  t.ok(before.size >= 8, `rows in ${[...before.keys()]}`);

  for (const route of Object.keys(ROUTES) as RouteName[]) {
    t.test(route, async (t) => {
      t.ok(WALK[route], "is walked");
      for (const probe of WALK[route]) await walk(t, { route, probe, stranger, theirs, own });
      t.strictSame(await rowsOf(pipeline, publisher.organisationId), before, "nothing of theirs has changed");
    });
  }

  t.test("the same ids work for their owner", async (t) => {
    for (const route of Object.keys(ROUTES) as RouteName[]) {
      if (ROUTES[route].access === "write") continue;
      for (const probe of WALK[route]) {
        if (probe.kind !== "missing") continue;
        t.equal((await owner.post(route, probe.body(theirs))).status, 200, route);
      }
    }
  });
});

interface Step {
  readonly route: RouteName;
  readonly probe: Probe;
  readonly stranger: PublisherClient;
  readonly theirs: FullOrganisation;
  /** The stranger's own records. */
  readonly own: Own;
}

async function walk(t: Test, { route, probe, stranger, theirs, own }: Step): Promise<void> {
  if (probe.kind === "names no record") return;
  if (probe.kind === "list") {
    const listed = await stranger.post(route, {});
    t.equal(listed.status, 200);
    for (const value of [MARK, ...Object.values(theirs)]) {
      t.notOk(JSON.stringify(listed.body).includes(value), "lists nothing of theirs");
    }
    return;
  }
  const foreign = await stranger.post(route, probe.body(theirs, own));
  const nobodys = await stranger.post(route, probe.body(unknownTo(theirs), own));
  const text = JSON.stringify(foreign.body);
  t.notOk(text.includes(MARK), "shows nothing of theirs");
  if (probe.kind === "missing") t.equal(foreign.status, 404, text);
  else t.match(foreign, { status: 200, body: probe.answer });
  t.strictSame(comparable(foreign), comparable(nobodys), "the same answer as for ids that never existed");
}

/** The answer without the parts that name the request, in which alone it may differ. */
function comparable({ status, headers, body }: RawAnswer) {
  const { "x-trace-id": _trace, date: _date, ...rest } = headers;
  return { status, headers: rest, body: JSON.stringify(body).replace(/"trace_id":"\w+"/, "") };
}

/** Unused ids of the same form: the last digits of each are changed. Ids of no organisation stay. */
function unknownTo(theirs: FullOrganisation): FullOrganisation {
  const { loyalty_program, deal, ...owned } = theirs;
  const unknown = Object.entries(owned).map(([kind, id]) => [kind, `${id.slice(0, -4)}0000`]);
  return { ...(Object.fromEntries(unknown) as FullOrganisation), loyalty_program, deal };
}

/** Tables of an organisation without an organisation_id column: compared whole. */
const OF_AN_ORGANISATION_BY_REFERENCE: readonly string[] = ["webhook_secrets"];

/** All rows of an organisation, by table; of a table of the list above, all its rows. */
async function rowsOf({ store }: Pipeline, organisationId: string): Promise<Map<string, string>> {
  const tables = await store<Array<{ name: string; owned: boolean }>>`
    select t.table_name as name, c.column_name is not null as owned
    from information_schema.tables t
    left join information_schema.columns c
      on c.table_schema = t.table_schema and c.table_name = t.table_name and c.column_name = 'organisation_id'
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE'
    order by 1`;
  const rows = new Map<string, string>();
  for (const { name, owned } of tables) {
    if (!owned && !OF_AN_ORGANISATION_BY_REFERENCE.includes(name)) continue;
    const whose = owned ? `where organisation_id = '${organisationId}'` : "";
    // A table's name cannot be a parameter; query_to_xml runs a text that can.
    const [found] = await store<[{ rows: string }]>`
      select query_to_xml(${`select * from ${name} r ${whose} order by r::text`}, false, false, '')::text as rows`;
    // A background task notes the use of a token.
    const text = found.rows.replaceAll(/\s*<last_used_at>.*?<\/last_used_at>/g, "");
    if (text.includes("<row>")) rows.set(name, text);
  }
  return rows;
}
