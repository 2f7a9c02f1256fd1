/**
 * The streaming client and `stampede import` know the result of each event, despite kills. `npm run test:long`
 * does it with a million events.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import t from "tap";
import { StampedeClient } from "#client";
import type { TransactionEvent } from "#contract";
import { decodeId, SeededRandom } from "#domain";
import {
  makeEvent,
  PublisherClient,
  privateServers,
  type ServiceProcess,
  startPipeline,
} from "#test-support";
import { Balancer } from "./balancer.ts";

const CLI = fileURLToPath(new URL("../../packages/cli/src/main.js", import.meta.url));
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const IS_LONG = process.env.TEST_LONG !== undefined;
/** Half of them by the client, half by import. */
const EVENTS = IS_LONG ? 1_000_000 : 40_000;
const PEACE_MS = IS_LONG ? { least: 2_000, most: 6_000 } : { least: 300, most: 1_500 };
const VICTIMS = ["edge", "ingest", "nats", "postgres"] as const;
const AWAY_MS = { least: 0, most: 800 };
/** One in this many events names a missing member. 1,000 rejections of each minute are kept. */
const STRANGER_EVERY = IS_LONG ? 2_000 : 50;
const STRANGER = "m_00000000000000000000000000";

t.setTimeout(IS_LONG ? 12 * 3_600_000 : 300_000);

t.test(`client and import - each of ${EVENTS} events has its fate under kills (seed ${SEED})`, async (t) => {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const pipeline = await startPipeline({
    databaseUrl: await servers.postgres.databaseUrl(),
    natsUrl: servers.nats.url,
    env: { STAMPEDE_LOG_LEVEL: "fatal", STAMPEDE_LINK_MAX_BYTES: String(1024 ** 3) },
  });
  t.teardown(() => pipeline.stop());
  const services: Record<"edge" | "ingest", ServiceProcess[]> = {
    edge: [pipeline.edge, await pipeline.start("edge")],
    ingest: [pipeline.ingest, await pipeline.start("ingest")],
  };
  const balancer = await Balancer.start(() => services.edge);
  t.teardown(() => balancer.close());
  const { publisher } = pipeline;
  const ids = await new PublisherClient(pipeline.edge.url, publisher.token).enrol("ada", "bob");
  const half = EVENTS / 2;
  const eventOf = (i: number): TransactionEvent =>
    makeEvent(i % STRANGER_EVERY === 0 ? STRANGER : (ids[i % 2] as string), { external_id: nameOf(i) });

  const dir = t.testdir({ token: publisher.token });
  const file = join(dir, "events.jsonl");
  await writeFile(file, lines(half, EVENTS, eventOf));
  const rejects = join(dir, "rejects.jsonl");
  const args = [
    "import",
    file,
    "--rejects",
    rejects,
    "--url",
    balancer.url,
    "--token-file",
    join(dir, "token"),
  ];
  const importing = spawn(process.execPath, [CLI, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  t.teardown(() => importing.kill("SIGKILL"));
  const imported = Promise.all([once(importing, "close"), text(importing.stdout), text(importing.stderr)]);

  let isOver = false;
  const killing = (async () => {
    const random = new SeededRandom(SEED);
    const victims = random.shuffle([...VICTIMS]);
    const kills = { edge: 0, ingest: 0, nats: 0, postgres: 0 };
    while (!isOver) {
      await delay(random.between(PEACE_MS.least, PEACE_MS.most));
      const victim = victims.shift() ?? random.pick(VICTIMS);
      const away = random.between(AWAY_MS.least, AWAY_MS.most);
      if (victim === "nats" || victim === "postgres") await restart(servers, victim, away);
      else {
        const at = random.between(0, 1);
        await (services[victim][at] as ServiceProcess).kill();
        await delay(away);
        services[victim][at] = await pipeline.start(victim);
      }
      kills[victim]++;
    }
    return kills;
  })();

  const client = new StampedeClient({ baseUrl: balancer.url, token: publisher.token });
  t.teardown(() => client.close());
  const publisherClient = new PublisherClient(balancer.url, publisher.token);
  const wrong: unknown[] = [];
  /** The refs of strangers that were answered 202 because a kill delayed the outcome, by batch. */
  const accepted = new Map<string, string[]>();
  let told = 0;
  for await (const { event, outcome } of client.ingestAll(first(half, eventOf))) {
    const isStranger = event.member_id === STRANGER;
    if (outcome.outcome === "accepted") {
      const batch = outcome.batch_id as string;
      const strangers = accepted.get(batch) ?? [];
      accepted.set(batch, isStranger ? [...strangers, event.external_id] : strangers);
    }
    const isRight =
      outcome.outcome === "accepted" ||
      (isStranger
        ? outcome.outcome === "rejected" && outcome.code === "not_found"
        : outcome.outcome === "created" || outcome.outcome === "unchanged");
    if (event.external_id !== nameOf(told) || !isRight) wrong.push({ event, outcome });
    told++;
  }
  const [[code], out, err] = await imported;
  isOver = true;
  const kills = await killing;

  t.equal(told, half, "the client tells of each event");
  for (const [id, strangers] of accepted) {
    const batch = await publisherClient.batchOf(id);
    const rejected = batch.rejected.map(({ external_id }: { external_id: string }) => external_id);
    if (rejected.join() !== strangers.join()) wrong.push({ batch, strangers });
  }
  t.strictSame(wrong.slice(0, 5), [], "in order, and with the service's outcome");
  const strangers = Math.ceil(half / STRANGER_EVERY);
  t.match(
    { code, out, err },
    {
      code: 2,
      out: new RegExp(
        `^${half.toLocaleString("en")} rows: .* ${strangers.toLocaleString("en")} rejected`,
        "m",
      ),
    },
  );
  const refused = readFileSync(rejects, "utf8").trimEnd().split("\n");
  t.strictSame(
    refused
      .map((line) => JSON.parse(line).row.external_id)
      .filter((name, i) => name !== nameOf(half + i * STRANGER_EVERY)),
    [],
    "import names each row that was rejected, in order",
  );
  t.equal(refused.length, strangers);
  const [{ stored, least, most } = {}] = await pipeline.store<
    { stored: number; least: string; most: string }[]
  >`
    select count(*)::int as stored, min(external_id) as least, max(external_id) as most from transactions
    where organisation_id = ${publisher.organisationId} and member_id = any(${ids.map((id) => decodeId("m", id) as string)})`;
  t.strictSame(
    { stored, least, most },
    { stored: EVENTS - 2 * strangers, least: nameOf(1), most: nameOf(EVENTS - 1) },
    "and all others are stored, once",
  );
  t.ok(Object.values(kills).some((times) => times > 0));
  t.comment(kills, out);
});

/** Names are in the order of numbers. */
function nameOf(i: number): string {
  return `tx-${String(i).padStart(8, "0")}`;
}

function* first<T>(count: number, make: (i: number) => T): Generator<T> {
  for (let i = 0; i < count; i++) yield make(i);
}

function* lines(from: number, to: number, make: (i: number) => object): Generator<string> {
  for (let i = from; i < to; i++) yield `${JSON.stringify(make(i))}\n`;
}

async function restart(
  servers: Awaited<ReturnType<typeof privateServers>>,
  victim: "nats" | "postgres",
  awayMs: number,
): Promise<void> {
  await servers[victim].kill();
  await delay(awayMs);
  await servers[victim].start();
}
