import postgres from "postgres";
import t from "tap";
import { PublisherClient, testServers } from "#test-support";
import { createWorld } from "../../src/ingest/world.ts";
import { readBody } from "../../src/reads/read-plan.ts";
import { fillStored, memberAnswer, transactionAnswer } from "../../src/reads/stored.ts";
import { startServer } from "./server.ts";

const spec = { seed: 3, members: 20, transactions: 40 };
const world = createWorld(spec.seed, spec.members);
let client: PublisherClient;
let url: string;
let databaseUrl: string;

t.before(async () => {
  databaseUrl = await (await testServers()).databaseUrl();
  await fillStored(databaseUrl, spec, world);
  const server = await startServer({ databaseUrl, connections: 2, port: 0, logLevel: "silent" });
  t.teardown(() => server.close());
  url = server.url;
  client = new PublisherClient(url, world.token);
});

t.test("reads peer - members by id and by ref, and transactions, are answered as stored", async (t) => {
  for (let number = 0; number < spec.members; number++) {
    // Even requests ask by id, odd ones by ref.
    for (const request of [0, 1]) {
      const body = JSON.parse(readBody(spec, world, "member/get", request, number));
      const answer = await client.post("member/get", body);
      t.equal(answer.status, 200);
      t.strictSame(answer.body, memberAnswer(spec, world, number));
    }
  }
  for (let number = 0; number < spec.transactions; number++) {
    const body = JSON.parse(readBody(spec, world, "transaction/get", 0, number));
    const answer = await client.post("transaction/get", body);
    t.equal(answer.status, 200);
    t.strictSame(answer.body, transactionAnswer(spec, world, number));
  }
});

t.test("reads peer - an unknown record is 404, a malformed request 400, a wrong token 401", async (t) => {
  const missing = await client.post("transaction/get", { external_id: "nothing" });
  t.equal(missing.status, 404);
  t.match(missing.body.error, { code: "not_found", data: { resource: "transaction" } });
  t.equal((await client.post("member/get", { id: "m_unknown" })).status, 404);
  t.equal((await client.post("member/get", { id: "m_1", ref: "a" })).status, 400);
  const stranger = new PublisherClient(url, "stp_live_nothing");
  t.equal((await stranger.post("transaction/get", { external_id: "nothing" })).status, 401);
});

t.test("reads peer - a token counts for each request as the database has it at that moment", async (t) => {
  const ask = async () => (await client.post("transaction/get", { external_id: "nothing" })).status;
  t.equal(await ask(), 404);
  const sql = postgres(databaseUrl, { max: 1 });
  t.teardown(() => sql.end());
  await sql`update api_tokens set revoked_at = now()`;
  t.equal(await ask(), 401);
  await sql`update api_tokens set revoked_at = null, expires_at = now()`;
  t.equal(await ask(), 401);
  await sql`update api_tokens set expires_at = now() + interval '1 hour'`;
  t.equal(await ask(), 404);
});
