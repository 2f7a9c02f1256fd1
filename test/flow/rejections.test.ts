import t from "tap";
import { makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

/** The records of rejected events (contract, section 12), through HTTP, the stream and Postgres. */
let pipeline: Pipeline;

/** A member that does not exist. */
const UNKNOWN_MEMBER = "m_01h455vb4pex5vsknk084sn02q";

t.before(async () => {
  pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "4" } });
});

t.teardown(() => pipeline.stop());

async function newIntegrator() {
  const client = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
  const [member, other] = (await client.enrol("ada", "bo")) as [string, string];
  const list = async (body: object = {}) => {
    const answer = await client.post("transaction.rejection/list", body);
    t.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  return { client, member, other, list };
}

t.test("rejected in the answer or later: each is in the list, newest first, with its request", async (t) => {
  const { client, member, other, list } = await newIntegrator();
  const cleared = makeEvent(member, { cleared_at: "2026-03-02T10:00:00Z" });
  const { cleared_at: _, ...whole } = cleared;
  const before = Date.now();
  t.match(await client.ingest([cleared, makeEvent(UNKNOWN_MEMBER)]), { status: 404 });
  t.match(await client.ingest([makeEvent(member), { ...whole, reverted_at: "2026-03-03T10:00:00Z" }]), {
    status: 409,
  });
  const late = await client.ingest([{ ...cleared, member_id: other }], { prefer: "respond-async" });
  t.equal(late.status, 202);
  const all = await waitFor(
    async () => {
      const { data } = await list();
      return data.length === 3 && data;
    },
    { message: "not all are kept" },
  );
  t.match(all, [
    {
      code: "conflict",
      reason: "identity_mismatch",
      field: "member_id",
      external_id: cleared.external_id,
      member_id: other,
      batch_id: late.body.batch_id.split(".")[0],
      index: 0,
    },
    {
      code: "conflict",
      reason: "invalid_transition",
      from: "cleared",
      to: "reverted",
      external_id: cleared.external_id,
      member_id: member,
      batch_id: /^batch_/,
      index: 1,
    },
    { code: "not_found", reason: "not_found", member_id: UNKNOWN_MEMBER, batch_id: /^batch_/, index: 1 },
  ]);
  for (const { rejected_at } of all) {
    t.match(rejected_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    t.ok(Math.abs(Date.parse(rejected_at) - before) < 60_000, rejected_at);
  }
  t.notOk(all.some((entry: object) => "count" in entry));
});

t.test("filters, spans and pages; an id of another form matches nothing", async (t) => {
  const { client, member, other, list } = await newIntegrator();
  const [a, b] = [makeEvent(member), makeEvent(other)];
  await client.ingest([a, b]);
  for (const event of [a, b, a]) await client.ingest([{ ...event, auth_code: "OTHER1" }]);
  const ofThose = ({ data }: { data: { external_id: string }[] }) =>
    data.map(({ external_id }) => external_id);
  const [A, B] = [a.external_id, b.external_id];
  t.strictSame(ofThose(await list()), [A, B, A]);
  t.strictSame(ofThose(await list({ external_id: A })), [A, A]);
  t.strictSame(ofThose(await list({ member_id: other })), [B]);
  t.strictSame(ofThose(await list({ member_id: other, external_id: A })), []);
  t.strictSame(ofThose(await list({ member_id: "7" })), []);
  const [newest, , oldest] = (await list()).data;
  t.strictSame(ofThose(await list({ until: newest.rejected_at, since: oldest.rejected_at })).at(-1), A);
  t.strictSame(ofThose(await list({ since: "2099-01-01T00:00:00Z" })), []);
  const first = await list({ pagination: { limit: 2 } });
  t.strictSame(ofThose(first), [A, B]);
  const { cursor } = first.page;
  t.strictSame(ofThose(await list({ pagination: { limit: 2, cursor } })), [A]);
  const foreign = { external_id: A, pagination: { limit: 2, cursor } };
  t.match(await client.post("transaction.rejection/list", foreign), {
    status: 400,
    body: { error: { data: { issues: [{ path: "/pagination/cursor" }] } } },
  });
  const empty = { since: "2026-03-02T10:00:00Z", until: "2026-03-02T10:00:00Z" };
  t.match(await client.post("transaction.rejection/list", empty), {
    status: 400,
    body: { error: { data: { issues: [{ path: "/until" }] } } },
  });
  const stranger = await newIntegrator();
  for (const body of [{}, { external_id: A }, { member_id: member }]) {
    t.strictSame((await stranger.list(body)).data, [], JSON.stringify(body));
  }
});

t.test("if a minute has more than a thousand, a separate row counts the rest", async (t) => {
  const { client, list } = await newIntegrator();
  // The minute may turn during the test: then each minute has its own thousand.
  const events = Array.from({ length: 3000 }, () => makeEvent(UNKNOWN_MEMBER));
  for (let at = 0; at < events.length; at += 500) {
    const { body } = await client.ingest(events.slice(at, at + 500), { prefer: "respond-async" });
    await client.batchOf(body.batch_id);
  }
  const rows: { code: string; reason: string; count?: number; rejected_at: string }[] = [];
  for (let cursor: string | null = null; ; ) {
    const { data, page } = await list({ pagination: { limit: 1000, cursor } });
    rows.push(...data);
    if (!page.more) break;
    cursor = page.cursor;
  }
  const counts = rows.filter(({ code }) => code === "not_kept");
  const kept = rows.length - counts.length;
  t.ok(counts.length >= 1 && kept >= 1000 && kept <= 2000, `${kept} kept, ${counts.length} rows that count`);
  t.equal(kept + counts.reduce((sum, { count = 0 }) => sum + count, 0), events.length);
  for (const row of counts) {
    t.match(row, { reason: "too_many_in_a_minute", rejected_at: /:00\.000Z$/ });
    t.notOk("external_id" in row);
  }
  t.strictSame(
    [...rows].sort((a, b) => b.rejected_at.localeCompare(a.rejected_at)),
    rows,
    "newest first",
  );
});
