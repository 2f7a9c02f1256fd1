import t from "tap";
import { makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

interface MemberAnswer {
  readonly id: string;
  readonly ref: string;
}

let pipeline: Pipeline;
let client: PublisherClient;

t.before(async () => {
  pipeline = await startPipeline();
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
});
t.teardown(() => pipeline.stop());

async function makeBase(...refs: string[]): Promise<{ base: string; ids: string[] }> {
  const base = (await client.post("member-base/create", { name: "members" })).body.id;
  const members = refs.map((ref) => ({ ref, attributes: { tier: "gold" } }));
  const ids =
    refs.length === 0
      ? []
      : (await client.post("member/bulk-upsert", { member_base_id: base, members })).body;
  return { base, ids };
}

/** The refs of the members that these filters give. */
async function refsOf(base: string, filters?: unknown[]): Promise<string[]> {
  const answer = await client.post("member/list", { member_base_id: base, ...(filters && { filters }) });
  t.equal(answer.status, 200);
  t.equal(answer.body.page.total, answer.body.data.length);
  return answer.body.data.map(({ ref }: MemberAnswer) => ref);
}

t.test("members are listed as they are read, page by page, with the total", async (t) => {
  const { base, ids } = await makeBase("c", "b", "a");
  const first = await client.post("member/list", { member_base_id: base, pagination: { limit: 2 } });
  t.match(first.body.page, { page_size: 2, total: 3, more: true, cursor: String });
  t.strictSame(first.body.data[0], (await client.post("member/get", { id: ids[0] })).body);
  const { cursor } = first.body.page;
  const second = await client.post("member/list", { member_base_id: base, pagination: { limit: 2, cursor } });
  t.match(second.body.page, { page_size: 1, total: 3, more: false, cursor: null });
  t.strictSame(
    [...first.body.data, ...second.body.data].map(({ id }: MemberAnswer) => id),
    ids,
  );
  t.strictSame(await refsOf(base, [{ key: "id", eq: ids[1] }]), ["b"], "of those with this id");
});

t.test("a cursor is valid for one memberbase, its filters and its list only", async (t) => {
  const { base } = await makeBase("a", "b", "c");
  const { base: other } = await makeBase("a", "b", "c");
  const filters = [{ key: "ref", nin: ["x"] }];
  const list = (member_base_id: string, rest: object) =>
    client.post("member/list", { member_base_id, ...rest });
  const { cursor } = (await list(base, { pagination: { limit: 1 } })).body.page;
  const filtered = (await list(base, { pagination: { limit: 1 }, filters })).body.page.cursor;
  t.match(await list(base, { pagination: { cursor } }), { status: 200 });
  t.match(await list(base, { pagination: { cursor }, filters: [] }), { status: 200 });
  t.match(await list(base, { pagination: { cursor: filtered }, filters }), { status: 200 });
  const refused = { status: 400, body: { error: { data: { issues: [{ path: "/pagination/cursor" }] } } } };
  t.match(await list(other, { pagination: { cursor } }), refused);
  t.match(await list(base, { pagination: { cursor }, filters }), refused);
  t.match(await list(base, { pagination: { cursor: filtered } }), refused);
  t.match(
    await list(base, { pagination: { cursor: filtered }, filters: [{ key: "ref", nin: ["y"] }] }),
    refused,
  );
  t.match(await client.post("member-base/list", { pagination: { cursor } }), refused);
});

t.test("memberbases are filtered by name and counted so", async (t) => {
  const own = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
  for (const name of ["north", "south", "north"]) await own.post("member-base/create", { name });
  const names = async (filter: object) => {
    const { body } = await own.post("member-base/list", { filters: [filter] });
    t.equal(body.page.total, body.data.length);
    return body.data.map(({ name }: { name: string }) => name);
  };
  t.strictSame(await names({ key: "name", eq: "north" }), ["north", "north"]);
  t.strictSame(await names({ key: "name", nin: ["north"] }), ["south"]);
  t.strictSame(
    await names({
      or: [
        { key: "name", eq: "south" },
        { key: "name", in: ["x"] },
      ],
    }),
    ["south"],
  );
});

t.test("a deleted memberbase and its members are out of reach at once, and are swept", async (t) => {
  const { base, ids } = await makeBase("a", "b");
  const [a] = ids as [string];
  const event = makeEvent(a);
  t.match(await client.ingest([event]), { status: 200 });
  const deleted = await client.post("member-base/delete", { id: base });
  t.match(deleted, { status: 200, body: { id: base, deleted_at: String } });
  t.match(await client.ingest([makeEvent(a)]), { status: 404 });
  const twice = [makeEvent(a), makeEvent(a)].map((next) => ({
    ...next,
    external_id: `${event.external_id}-2`,
  }));
  t.match(await client.ingest(twice), { status: 404 });
  t.strictSame((await client.post("member-base/delete", { id: base })).body, deleted.body);
  t.match(await client.post("member-base/get", { id: base }), { status: 404 });
  t.match(await client.post("member/get", { id: a }), { status: 404 });
  t.match(await client.post("member/get", { member_base_id: base, ref: "a" }), { status: 404 });
  for (const [route, rest] of Object.entries({
    "member/list": {},
    "member/bulk-upsert": { members: [{ ref: "a" }] },
    "member/bulk-delete": { refs: ["a"] },
  })) {
    t.match(await client.post(route, { member_base_id: base, ...rest }), {
      status: 404,
      body: { error: { data: { resource: "member_base" } } },
    });
  }
  t.match(await client.post("transaction/list", { member_id: a }), { status: 404 });
  t.match(await client.post("wallet.clip/list", { member_id: a }), { status: 404 });
  t.equal((await client.post("transaction/get", { external_id: event.external_id })).body.member_id, null);
  t.match(await client.post("member-base/delete", { id: "mb_01h455vb4pex5vsknk084sn02q" }), { status: 404 });
  await waitFor(
    async () => {
      const [row] = await pipeline.store<[{ count: number }]>`
        select count(*) as count from members join memberbases on memberbases.id = memberbase_id
        where memberbases.deleted_at is not null`;
      return row.count === 0;
    },
    { message: "the members are swept" },
  );
});

t.test(
  "an upsert that would make members too large is refused as a whole, and names each of them",
  async (t) => {
    const { base } = await makeBase("a");
    const attributes = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`key${index}`, index]));
    const upsert = (ofA: object, text: string) =>
      client.post("member/bulk-upsert", {
        member_base_id: base,
        members: [{ ref: "b" }, { ref: "a", attributes: ofA }, { ref: "c", attributes: { x: text } }],
      });
    const refused = await upsert(attributes, "x".repeat(16_377));
    t.match(refused, {
      status: 400,
      body: {
        error: {
          code: "bad_request",
          data: {
            issues: [
              {
                path: "/members/1/attributes",
                message: "would give the member 65 attributes; it may have 64",
              },
              {
                path: "/members/2/attributes",
                message: "would give the member 16385 bytes of attributes; it may have 16384",
              },
            ],
          },
        },
      },
    });
    t.strictSame(await refsOf(base), ["a"]);
    t.match(await upsert({ ...attributes, key0: null }, "x".repeat(16_376)), { status: 200 });
    t.strictSame(await refsOf(base), ["a", "b", "c"]);
  },
);
