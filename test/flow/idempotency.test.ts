import { randomBytes, randomUUID } from "node:crypto";
import t from "tap";
import { REPEATABLE_ROUTES, type RepeatableRoute } from "#contract";
import { encodeId } from "#domain";
import {
  type Pipeline,
  PublisherClient,
  type RawAnswer,
  startPipeline,
  waitFor,
  waitForLocks,
} from "#test-support";

/** Contract, section 5: the same idempotency key and body give the first answer again. */

let pipeline: Pipeline;
let client: PublisherClient;

t.before(async () => {
  pipeline = await startPipeline();
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
});
t.teardown(() => pipeline.stop());

const withKey = (key: string) => ({ "idempotency-key": key });
const newKey = () => `key ${randomBytes(8).toString("hex")}`;

async function newProgram(): Promise<string> {
  const id = randomUUID();
  await pipeline.store`
    insert into loyalty_programs
      (id, revision, created_at, updated_at, qualifying_threshold, name, reward_config, display_content)
    values (${id}, 1, now(), now(), 5, 'coffee', '{"type":"refund"}', '{}')`;
  return encodeId("lp", id);
}

async function newDeal(): Promise<string> {
  const id = randomUUID();
  await pipeline.store`
    insert into deals (id, revision, created_at, updated_at, name, reward_config, display_content)
    values (${id}, 1, now(), now(), 'tea', '{"type":"percent","percent":10}', '{}')`;
  return encodeId("deal", id);
}

async function newMember(client: PublisherClient): Promise<string> {
  const [member] = await client.enrol("ada");
  return member as string;
}

/** Two bodies for each route, with records that this client can see. */
const BODIES: Record<RepeatableRoute, (client: PublisherClient) => Promise<[object, object]>> = {
  "wallet.stamp-collection/create": async (client) => {
    const member_id = await newMember(client);
    return [
      { loyalty_program_id: await newProgram(), member_id },
      { loyalty_program_id: await newProgram(), member_id },
    ];
  },
  "wallet.clip/save": async (client) => {
    const member_id = await newMember(client);
    return [
      { deal_id: await newDeal(), member_id },
      { deal_id: await newDeal(), member_id },
    ];
  },
  "member-base/create": async () => [{ name: "one" }, { name: "two" }],
  "api-token/create": async () => [
    { access: "read", description: "one" },
    { access: "write", description: "one" },
  ],
  "webhook/create": async () => [
    { url: "https://hooks.example.com/a", events: ["cashback.created", "cashback.cleared"] },
    { url: "https://hooks.example.com/a", events: ["cashback.cleared", "cashback.created"] },
  ],
};

/** The same JSON value in other bytes: the keys in reverse order, with white space. */
function respelt(body: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), undefined, 3);
}

const reasonOf = (answer: RawAnswer) => answer.body.error?.data.reason;
const ROUTES = Object.keys(REPEATABLE_ROUTES) as RepeatableRoute[];
/** The first answer of each route. */
const answered: { route: RepeatableRoute; key: string; body: object; answer: unknown }[] = [];

for (const route of ROUTES) {
  t.test(`${route} - the same organisation, key and body get the first answer again`, async (t) => {
    const key = newKey();
    const [body, otherBody] = await BODIES[route](client);
    const first = await client.post(route, body, withKey(key));
    t.match(first, { status: 200, body: { id: String } });
    const again = await client.post(route, respelt(body), withKey(key));
    t.equal(again.status, 200);
    t.strictSame(again.body, first.body);
    t.not(again.headers["x-trace-id"], first.headers["x-trace-id"]);
    t.equal(again.headers["content-type"], first.headers["content-type"]);

    const reused = await client.post(route, otherBody, withKey(key));
    t.match(reused, { status: 409, body: { error: { code: "conflict" } } });
    t.equal(reasonOf(reused), "idempotency_key_reused");

    const stranger = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
    const [strangersBody] = await BODIES[route](stranger);
    const theirs = await stranger.post(route, strangersBody, withKey(key));
    t.equal(theirs.status, 200);
    t.not(theirs.body.id, first.body.id);
    answered.push({ route, key, body, answer: first.body });
  });
}

t.test("an edge that starts later gives the first answers too", async (t) => {
  const later = await pipeline.start("edge");
  const client = new PublisherClient(later.url, pipeline.publisher.token);
  t.equal(answered.length, ROUTES.length);
  for (const { route, key, body, answer } of answered) {
    t.strictSame((await client.post(route, body, withKey(key))).body, answer, route);
  }
  await later.stop();
});

t.test("a key is 1 to 255 printable ASCII characters, or the request is malformed", async (t) => {
  const other = await pipeline.start("edge", { STAMPEDE_HTTP_ADAPTER: "node" });
  for (const url of [pipeline.edge.url, other.url]) {
    const client = new PublisherClient(url, pipeline.publisher.token);
    const post = (key: string) => client.post("member-base/create", { name: "n" }, withKey(key));
    for (const key of ["", "x".repeat(256), "a\tb", "aéb"]) {
      t.match(await post(key), {
        status: 400,
        body: { error: { code: "bad_request", message: /idempotency-key/ } },
      });
    }
    t.equal((await post("x".repeat(255))).status, 200);
  }
  await other.stop();
});

t.test("a refusal that the operation gave is remembered, under the trace of each request", async (t) => {
  const [body] = await BODIES["wallet.stamp-collection/create"](client);
  const route = "wallet.stamp-collection/create";
  const enrolled = await client.post(route, body);
  const key = newKey();
  const refused = await client.post(route, body, withKey(key));
  const data = { reason: "already_enrolled", stamp_collection_id: enrolled.body.id };
  t.match(refused, { status: 409, body: { error: { code: "conflict", data } } });
  await pipeline.store`delete from stamp_collections where organisation_id = ${pipeline.publisher.organisationId}`;
  const again = await client.post(route, body, withKey(key));
  const { trace_id: _, ...told } = refused.body.error;
  t.match(again, { status: 409, body: { error: told } });
  t.equal(again.body.error.trace_id, again.headers["x-trace-id"]);
  t.not(again.body.error.trace_id, refused.body.error.trace_id);
  const fresh = await client.post(route, body);
  t.equal(fresh.status, 200, "without a key it goes through now");
  t.not(fresh.body.id, enrolled.body.id, "and is no repetition of the first without a key");

  const unknown = { ...body, member_id: encodeId("m", randomUUID()) };
  const key404 = newKey();
  t.match(await client.post(route, unknown, withKey(key404)), { status: 404 });
  t.match(await client.post(route, unknown, withKey(key404)), {
    status: 404,
    body: { error: { code: "not_found", data: { resource: "member" } } },
  });
  t.equal(reasonOf(await client.post(route, body, withKey(key404))), "idempotency_key_reused");
});

t.test("a refusal from before the operation is not kept", async (t) => {
  const key = newKey();
  const post = (who: PublisherClient, body: unknown) => who.post("api-token/create", body, withKey(key));
  const { token } = (await client.post("api-token/create", { access: "read", description: "" })).body;
  const good = { access: "read", description: "at last" };
  t.equal((await post(client, "{")).status, 400);
  t.equal((await post(client, { ...good, access: "all" })).status, 400);
  t.equal((await post(client, { ...good, expires_at: "2020-01-01T00:00:00Z" })).status, 400);
  t.equal((await post(new PublisherClient(pipeline.edge.url, token), good)).status, 403);
  t.equal((await post(new PublisherClient(pipeline.edge.url, `${token}x`), good)).status, 401);
  t.match(await post(client, good), { status: 200, body: { description: "at last" } });
});

t.test(
  "an edge killed in the middle: in progress until the killed attempt is over, then done once",
  async (t) => {
    const dying = await pipeline.start("edge");
    const name = newKey();
    const post = (url: string | undefined) =>
      new PublisherClient(url, pipeline.publisher.token).post("member-base/create", { name }, withKey(name));
    let lost: Promise<unknown> | undefined;
    await pipeline.store.begin(async (sql) => {
      // The table of memberbases is locked: the operation waits inside its database transaction.
      await sql`lock table memberbases in share mode`;
      lost = post(dying.url).catch(() => "no answer");
      await waitForLocks(pipeline.store);
      t.equal(reasonOf(await post(pipeline.edge.url)), "in_progress");
      await dying.kill();
      t.equal(await lost, "no answer");
    });
    const done = await waitFor(
      async () => {
        const answer = await post(pipeline.edge.url);
        return reasonOf(answer) !== "in_progress" && answer;
      },
      { message: "the server notices that the edge is gone" },
    );
    t.equal(done.status, 200);
    t.strictSame((await post(pipeline.edge.url)).body, done.body);
    t.equal((await pipeline.store`select id from memberbases where name = ${name}`).length, 1);
  },
);

t.test("ingest removes answers that are older than a day", async (t) => {
  const [old, young] = [newKey(), newKey()];
  for (const key of [old, young]) await client.post("member-base/create", { name: key }, withKey(key));
  await pipeline.store`update idempotency_keys set created_at = now() - interval '24 hours' where key = ${old}`;
  const ingest = await pipeline.start("ingest");
  const kept = () => pipeline.store<{ key: string }[]>`
    select key from idempotency_keys where key in (${old}, ${young})`;
  await waitFor(async () => (await kept()).length === 1, { message: "the old one is gone" });
  t.strictSame(await kept(), [{ key: young }]);
  await ingest.stop();
});

t.test("no secret is kept in plain, and none opens without its encryption key", async (t) => {
  const shown: string[] = [];
  const key = newKey();
  const bodies = new Map<RepeatableRoute, object>();
  for (const route of ["api-token/create", "webhook/create"] as const) {
    const [body] = await BODIES[route](client);
    bodies.set(route, body);
    const answer = await client.post(route, body, withKey(key));
    shown.push(answer.body.token ?? answer.body.secret);
  }
  const { id } = (await client.post("member-base/create", { name: "plain" }, withKey(key))).body;
  const rows = await pipeline.store<{ route: string; keyId: string | null; answer: Buffer }[]>`
    select route, key_id as "keyId", answer from idempotency_keys where key = ${key}`;
  t.equal(rows.length, 3);
  const everything = Buffer.concat(rows.map(({ answer }) => answer));
  t.ok(everything.includes(id), "this search finds a value that is not secret");
  for (const secret of shown) {
    t.type(secret, "string");
    const bare = secret.slice(secret.lastIndexOf("_") + 1);
    t.notOk(everything.includes(bare));
    t.notOk(everything.includes(Buffer.from(bare, "base64")));
  }
  t.strictSame(
    rows.filter(({ keyId }) => keyId === null).map(({ route }) => route),
    ["member-base/create"],
  );

  const stranger = await pipeline.newPublisher();
  await pipeline.store`
    insert into idempotency_keys (organisation_id, status, route, key, request_hash, key_id, answer)
    select ${stranger.organisationId}, status, route, key, request_hash, key_id, answer
    from idempotency_keys where key = ${key}`;
  for (const [route, body] of bodies) {
    const answer = await new PublisherClient(pipeline.edge.url, stranger.token).post(
      route,
      body,
      withKey(key),
    );
    t.equal(reasonOf(answer), "answer_unreadable", "a row that was copied to another organisation");
  }

  const rotated = await pipeline.start("edge", {
    STAMPEDE_ENCRYPTION_KEYS: `new:${randomBytes(32).toString("base64")}`,
  });
  const user = new PublisherClient(rotated.url, pipeline.publisher.token);
  for (const [route, body] of bodies) {
    const answer = await user.post(route, body, withKey(key));
    t.equal(answer.status, 409);
    t.equal(reasonOf(answer), "answer_unreadable");
    t.equal(
      reasonOf(await user.post(route, { ...body, description: "x" }, withKey(key))),
      "idempotency_key_reused",
    );
  }
  t.equal((await user.post("member-base/create", { name: "plain" }, withKey(key))).body.id, id);
  await rotated.stop();
});
