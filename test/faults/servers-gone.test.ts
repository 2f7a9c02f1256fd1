import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { LIMITS } from "#contract";
import { SeededRandom } from "#domain";
import {
  makeEvent,
  privateServers,
  readMetric,
  startPipeline,
  TcpProxy,
  waitFor,
  waitForLocks,
} from "#test-support";
import { Spans, siteOf, World } from "#test-world";
import { drained } from "./drained.ts";
import { clientOf, holdWrites, makeEvents, PATIENCE_MS, storedIds, takenAgain } from "./publisher-scene.ts";
import { recovered } from "./recovered.ts";

const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);

t.setTimeout(400_000);

t.test("Postgres gone: 202 and queued, 200 again when it is back", async (t) => {
  const { servers, pipeline, client } = await startOnOwnServers(t);
  const [member] = (await client.enrol("queued")) as [string];
  const first = [makeEvent(member)];
  await waitFor(() => takenAgain(client, first), { deadlineMs: PATIENCE_MS, message: "no 200 at all" });

  // In the middle of a batch of each partition. No process holds the later events: when ingest loses its
  // session it gives up its partitions, within a second, and a process without partitions tries nothing
  // again.
  const letGo = await holdWrites(pipeline);
  // More events than go into one batch with those of another partition.
  const held = [0, 1].map((partition) => makeEvents(member, partition, LIMITS.rowsAtOnce + 1));
  const answers = held.map((events) => client.ingest(events));
  await waitForLocks(pipeline.store, held.length);
  await servers.postgres.stop();
  await letGo();
  for (const answer of await Promise.all(answers)) t.match(answer, { status: 202 });
  await waitFor(async () => (await readMetric(pipeline.ingest, "stampede_partitions_owned")) === 0, {
    deadlineMs: PATIENCE_MS,
    message: "ingest keeps partitions whose locks are gone",
  });
  // By now every process has dropped what it remembered of the database for a while.
  const queued = [0, 1].flatMap((partition) => makeEvents(member, partition, 5));
  t.match(await client.ingest(queued), { status: 202, body: { accepted: queued.length } });
  t.equal(await readMetric(pipeline.edge, "stampede_database_up"), 0);
  t.equal((await pipeline.edge.ops("/readyz")).status, 200, "load balancers still send requests to the edge");
  t.ok(await readMetric(pipeline.ingest, "stampede_ingest_backpressure_total", 'reason="database"'));

  await servers.postgres.start();
  const afterwards = [makeEvent(member)];
  await recovered(t, "the database is back", () => takenAgain(client, afterwards));
  await drained(pipeline);
  const all = [...first, ...held.flat(), ...queued, ...afterwards].map((event) => event.external_id);
  t.strictSame(await storedIds(pipeline), all.sort());
});

t.test("NATS gone: 503 at once, no refused event is stored, works again when NATS is back", async (t) => {
  const { servers, pipeline, client } = await startOnOwnServers(t);
  const outages = new Spans();
  const world = await World.open(
    siteOf(pipeline, () => [pipeline.edge]),
    { seed: SEED, lanes: 4, touchesNats: (from, until) => outages.touch(from, until) },
  );
  t.teardown(() => world.close());
  world.begin();
  await world.progress(20, PATIENCE_MS);

  const isBack = outages.begin();
  await servers.nats.stop();
  // Requests on their way when the connection breaks may be stored, so they wait for NATS; later ones are
  // refused.
  await waitFor(async () => (await readMetric(pipeline.edge, "stampede_nats_connected")) === 0, {
    deadlineMs: PATIENCE_MS,
    message: "the edge does not notice",
  });
  const [member] = world.members as [string];
  for (let i = 0; i < 5; i++) {
    const refused = [makeEvent(member), makeEvent(member)];
    const answer = await client.ingest(refused);
    t.match(answer, { status: 503, headers: { "retry-after": /^[1-9]\d*$/ } });
    t.match(answer.body.error, { code: "unavailable", data: { reason: "stream_gone" } });
    world.book.sentElsewhere(refused);
  }
  t.match(await client.post("member/get", { id: member }), { status: 200 }, "reads still work");
  const readiness = await pipeline.edge.ops("/readyz?verbose");
  t.equal(readiness.status, 200, "load balancers still send requests to the edge");
  t.match(JSON.parse(readiness.body), { checks: { nats: { ok: false }, servers: { ok: true } } });

  await servers.nats.start();
  isBack();
  const afterwards = [makeEvent(member)];
  const taken = await recovered(t, "NATS is back", () => takenAgain(client, afterwards));
  world.book.sentElsewhere(afterwards, taken);
  await world.end();
  await world.arrives(PATIENCE_MS / 1_000);
  await drained(pipeline);
  t.strictSame(await world.faults(), []);
  t.comment({ answers: world.book.answers, statuses: world.statuses });

  await t.test(
    "with Postgres gone too, an edge that can serve no request is not ready, until one of them is back",
    async (t) => {
      const isReady = async () => (await pipeline.edge.ops("/readyz")).status === 200;
      t.equal(await isReady(), true);
      await Promise.all([servers.nats.stop(), servers.postgres.stop()]);
      const deadlineMs = PATIENCE_MS;
      await waitFor(async () => !(await isReady()), { deadlineMs, message: "it is still ready" });
      await servers.postgres.start();
      await waitFor(isReady, { deadlineMs, message: "it is not ready with the database alone" });
      await servers.nats.start();
    },
  );
});

t.test(`ingest cut off and half-open under load: everything counts once (seed ${SEED})`, async (t) => {
  const pipeline = await startPipeline({ begin: ["edge"] });
  t.teardown(() => pipeline.stop());
  const proxies = {
    postgres: await TcpProxy.start(pipeline.databaseUrl),
    nats: await TcpProxy.start(pipeline.natsUrl),
  };
  t.teardown(() => Promise.all([proxies.postgres.close(), proxies.nats.close()]));
  const ingest = await pipeline.start("ingest", {
    DATABASE_URL: proxies.postgres.through(pipeline.databaseUrl),
    NATS_URL: proxies.nats.through(pipeline.natsUrl),
  });
  const world = await World.open(
    siteOf(pipeline, () => [pipeline.edge]),
    { seed: SEED, lanes: 4 },
  );
  t.teardown(() => world.close());
  world.begin();

  const random = new SeededRandom(SEED);
  const faults = random.shuffle(
    Object.values(proxies).flatMap((proxy) => [
      async () => proxy.cut(),
      async () => proxy.cut(),
      () => halfOpen(proxy, "freezeClient", random.between(500, 3_000)),
      () => halfOpen(proxy, "freezeServer", random.between(500, 3_000)),
      // The messages on their way are lost for good.
      () => halfOpen(proxy, random.pick(["freezeClient", "freezeServer"]), 2_000, "cut"),
    ]),
  );
  for (const fault of faults) {
    await world.progress(5, PATIENCE_MS);
    await fault();
  }
  await world.end();
  await world.arrives(PATIENCE_MS / 1_000);
  t.equal(ingest.child.exitCode, null, "ingest is still alive");
  await drained(pipeline);
  t.strictSame(await world.faults(), []);
  t.comment({ answers: world.book.answers, statuses: world.statuses });
});

/** On servers that the test may stop. */
async function startOnOwnServers(t: Test) {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const databaseUrl = await servers.postgres.databaseUrl();
  const pipeline = await startPipeline({ databaseUrl, natsUrl: servers.nats.url });
  t.teardown(() => pipeline.stop());
  return { servers, pipeline, client: clientOf(pipeline) };
}

async function halfOpen(
  proxy: TcpProxy,
  half: "freezeClient" | "freezeServer",
  ms: number,
  end: "thaw" | "cut" = "thaw",
): Promise<void> {
  proxy[half]();
  await delay(ms);
  if (end === "cut") proxy.cut();
  proxy.thaw();
}
