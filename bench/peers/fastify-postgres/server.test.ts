import { jetstreamManager } from "@nats-io/jetstream";
import t from "tap";
import { CLEARED_AT, makeEvent, PublisherClient, testServers, waitFor } from "#test-support";
import { createWorld, fillDatabase } from "../../src/ingest/world.ts";
import { connectNats } from "../../src/kit/connect-nats.ts";
import { usingStore } from "../../src/kit/using-store.ts";
import { startServer } from "./server.ts";

const SEED = 3;
const world = createWorld(SEED, 10);
const member = world.memberTypeIds[0] as string;
let client: PublisherClient;
let url: string;

t.before(async () => {
  const databaseUrl = await (await testServers()).databaseUrl();
  await fillDatabase(databaseUrl, SEED, world);
  const server = await startServer({ databaseUrl, connections: 2, port: 0, logLevel: "silent" });
  t.teardown(() => server.close());
  url = server.url;
  client = new PublisherClient(url, world.token);
});

t.test("peer - new, cleared and repeated events are counted as Stampede counts them", async (t) => {
  const event = makeEvent(member);
  const cleared = { ...event, cleared_at: "2026-03-02T10:00:00Z" };
  const answer = await client.ingest([event, makeEvent(member), cleared, cleared]);
  t.equal(answer.status, 200);
  t.strictSame(answer.body, { status: "processed", accepted: 4, created: 2, updated: 1, unchanged: 1 });
});

t.test(
  "peer with an outbox - each change is published after its commit, and then deleted from the table",
  async (t) => {
    const { databaseUrl, natsUrl } = await testServers();
    const own = await databaseUrl();
    await fillDatabase(own, SEED, world);
    const outbox = { natsUrl, stream: `OUTBOX_${process.pid}` };
    const server = await startServer({
      databaseUrl: own,
      connections: 2,
      port: 0,
      logLevel: "silent",
      outbox,
    });
    t.teardown(() => server.close());
    const nats = await connectNats(natsUrl);
    t.teardown(() => nats.close());
    const { streams } = await jetstreamManager(nats);
    t.teardown(() => streams.delete(outbox.stream));
    const event = makeEvent(member);
    const peer = new PublisherClient(server.url, world.token);
    const cleared = { ...event, cleared_at: CLEARED_AT };
    for (const one of [event, cleared, cleared]) t.equal((await peer.ingest([one])).status, 200);
    await usingStore(own, (store) =>
      waitFor(async () => (await store`select from outbox`).length === 0, { message: "it is not told" }),
    );
    const stream = await streams.get(outbox.stream);
    const told: string[] = [];
    const { state } = await streams.info(outbox.stream);
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      told.push(...((await stream.getMessage({ seq }))?.string() ?? "").split("\n"));
    }
    t.match(
      told.map((record) => JSON.parse(record)),
      [
        { identifiers: [/^[0-9a-f]{64}$/], merchant_id: event.merchant_id, cleared_at: null },
        { merchant_id: event.merchant_id, cleared_at: String },
      ],
      "an unchanged transaction is not published",
    );
  },
);

t.test("peer - rejections name the event and the reason, the others are applied", async (t) => {
  const event = makeEvent(member, { cleared_at: "2026-03-02T10:00:00Z" });
  await client.ingest([event]);
  const { cleared_at: _, ...reverted } = { ...event, reverted_at: "2026-03-03T10:00:00Z" };
  const stranger = makeEvent(world.memberTypeIds[1] as string, { external_id: event.external_id });
  const unknown = makeEvent("m_00000000000000000000000000");
  const answer = await client.ingest([reverted, makeEvent(member), unknown, stranger]);
  t.equal(answer.status, 409);
  t.match(answer.body.error, {
    code: "conflict",
    data: {
      reason: "invalid_transition",
      accepted: 1,
      rejected: [
        { index: 0, code: "conflict", reason: "invalid_transition", from: "cleared", to: "reverted" },
        { index: 2, code: "not_found", reason: "not_found" },
        { index: 3, code: "conflict", reason: "identity_mismatch", field: "member_id" },
      ],
    },
  });
  t.equal((await client.ingest([unknown])).status, 404);
});

t.test(
  "peer - a malformed event is refused with its whole request, a wrong token with any request",
  async (t) => {
    const malformed = await client.ingest([makeEvent(member, { bin: "12" })]);
    t.equal(malformed.status, 400);
    t.equal(malformed.body.error.data.issues[0].path, "/events/0/bin");
    t.equal((await new PublisherClient(url, "stp_live_nothing").ingest([makeEvent(member)])).status, 401);
  },
);
