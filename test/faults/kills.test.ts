import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { LIMITS } from "#contract";
import { SeededRandom } from "#domain";
import {
  endedProcesses,
  type Pipeline,
  privateServers,
  type ServiceName,
  type ServiceProcess,
  startPipeline,
} from "#test-support";
import { Spans, siteOf, World } from "#test-world";
import { drained } from "./drained.ts";
import { findUnpublished } from "./published.ts";

/**
 * kill -9 of every process at random moments under load, and an independent record of every answer. `FAULT_KILLS` makes
 * it longer, `FAULT_SEED` repeats its plan (not its timing).
 */
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const KILLS = Number(process.env.FAULT_KILLS ?? 5);

const VICTIMS = ["edge", "ingest", "nats", "postgres"] as const;
type Victim = (typeof VICTIMS)[number];

/** How long a victim stays away, and how long the test leaves its successor alone. */
const AWAY_MS = { least: 0, most: 800 };
const PEACE_MS = { least: 0, most: 700 };
/** Answers that show that work goes on after a kill. */
const ANSWERS_BETWEEN = 15;
/**
 * Until work goes on: ownership moves within 2 s, Postgres recovers, open requests end within 30 s; and the
 * machine may be busy.
 */
const RECOVERY_MS = 90_000;
/** Of accepted events, until their outcome is stored. */
const ARRIVAL_SECONDS = 60;
/** Events a second: enough to gather several requests in a batch. */
const RATE = 400;

// tap's own 30 s are for a whole file.
t.setTimeout(300_000 + KILLS * RECOVERY_MS);

t.test(`kill -9: an accepted event is stored once, a refused one is not (seed ${SEED})`, async (t) => {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const pipeline = await startPipeline({
    databaseUrl: await servers.postgres.databaseUrl(),
    natsUrl: servers.nats.url,
    // No service consumes the records and settlements, so the audit finds all of them at the end.
    env: { STAMPEDE_LOG_LEVEL: "warn", STAMPEDE_LINK_MAX_BYTES: String(1024 * 1024 * 1024) },
  });
  t.teardown(() => pipeline.stop());
  const services: Record<"edge" | "ingest", ServiceProcess[]> = {
    edge: [pipeline.edge, await pipeline.start("edge")],
    ingest: [pipeline.ingest, await pipeline.start("ingest")],
  };
  const outages = new Spans();
  const site = siteOf(pipeline, () => services.edge);
  const touchesNats = (from: number, until: number) => outages.touch(from, until);
  const world = await World.open(site, { seed: SEED, lanes: 6, rate: RATE, touchesNats });
  t.teardown(() => world.close());
  // As if most of them had once had an enrolment: their transactions settle, those of the others do not.
  await pipeline.store`update members set linked = ref <> 'plain 0'`;
  world.begin();

  const random = new SeededRandom(SEED);
  const kill = async (victim: Victim): Promise<void> => {
    const away = random.between(AWAY_MS.least, AWAY_MS.most);
    if (victim === "edge" || victim === "ingest") {
      await replace(pipeline, services[victim], random.between(0, 1), victim, away);
      return;
    }
    const restart = async () => {
      await servers[victim].kill();
      await delay(away);
      await servers[victim].start();
    };
    await (victim === "nats" ? outages.during(restart) : restart());
  };
  for (const victim of plan(random)) {
    await world.progress(ANSWERS_BETWEEN, RECOVERY_MS);
    await delay(random.between(PEACE_MS.least, PEACE_MS.most));
    await kill(victim);
    t.pass(`${victim} was killed and is back`);
  }
  await world.progress(ANSWERS_BETWEEN, RECOVERY_MS);
  await world.end();
  await world.arrives(ARRIVAL_SECONDS);

  t.strictSame(endedProcesses(Object.values(services).flat()), [], "no process ended by itself");
  await drained(pipeline);
  t.strictSame(await world.faults(), []);
  t.strictSame((await findUnpublished(pipeline)).slice(0, 10), []);
  const { book, statuses } = world;
  t.ok(book.detailed > 0, "some answers had each event's result");
  await checkRejections(t, pipeline, book.requests.flatMap(({ rejected }) => rejected).length);
  t.comment({ answers: book.answers, detailed: book.detailed, transactions: book.entries.size, statuses });
});

/** Every kind at least once, in an order that the seed gives. */
function plan(random: SeededRandom): Victim[] {
  const victims = Array.from({ length: KILLS }, (_, i) => VICTIMS[i] ?? random.pick(VICTIMS));
  return random.shuffle(victims);
}

/** Kills one of a service's processes and starts another in its place. */
async function replace(
  pipeline: Pipeline,
  processes: ServiceProcess[],
  at: number,
  name: ServiceName,
  awayMs: number,
): Promise<void> {
  await (processes[at] as ServiceProcess).kill();
  await delay(awayMs);
  processes[at] = await pipeline.start(name);
}

/**
 * Each rejected event of a request is kept once, and none is missing. There may be more of them than the
 * answers report: some belong to attempts whose answer got lost.
 */
async function checkRejections(t: Test, { store }: Pipeline, rejected: number): Promise<void> {
  const twice = await store`
    select batch_id, event_index, count(*) from transaction_rejections
    where rejected is null group by batch_id, event_index having count(*) > 1 limit 10`;
  t.strictSame(twice, []);
  const [{ kept, counted }] = await store<[{ kept: number; counted: number }]>`
    select count(*) filter (where rejected is null) as kept,
           coalesce(sum(least(rejected, ${LIMITS.rejectionsPerMinute})) filter (where rejected is not null), 0)::int
             as counted
    from transaction_rejections`;
  t.equal(kept, counted, "every minute says how many there are");
  const [{ all }] = await store<[{ all: number }]>`
    select coalesce(sum(rejected), 0)::int as all from transaction_rejections`;
  t.ok(all >= rejected, `${all} rejections, ${rejected} reported or recorded`);
}
