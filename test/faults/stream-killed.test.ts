import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { StampedeClient } from "#client";
import { SeededRandom } from "#domain";
import { PublisherClient, privateServers, type ServiceProcess, startPipeline, waitFor } from "#test-support";
import { Balancer } from "./balancer.ts";
import { drained } from "./drained.ts";
import { StreamBook } from "./stream-book.ts";

/**
 * kill -9 of edge and ingest under the client's stream: at the end the fate of every event is known, and
 * agrees with the database. `npm run test:long` sends a million events, with a kill every 50,000;
 * `STREAM_EVENTS` sets another number. `FAULT_SEED` repeats the events and the plan, not its timing.
 * `client-killed.test.ts` shows the same with new events alone.
 */
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const EVENTS = Number(
  process.env.STREAM_EVENTS ?? (process.env.TEST_LONG === undefined ? 20_000 : 1_000_000),
);
const KILLS = Math.max(2, Math.floor(EVENTS / 50_000));
const VICTIMS = ["edge", "ingest"] as const;
const AWAY_MS = { least: 0, most: 600 };
/** For the next events to be answered after a kill, on a machine that does other work too. */
const RECOVERY_MS = 60_000;
const EVENTS_PER_SECOND_AT_LEAST = 500;

// tap's own 30 s are for a whole file.
t.setTimeout(300_000 + KILLS * RECOVERY_MS + (EVENTS / EVENTS_PER_SECOND_AT_LEAST) * 1_000);

t.test(`stream: kill -9 of edge and ingest, and every event's fate is known (seed ${SEED})`, async (t) => {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const pipeline = await startPipeline({
    databaseUrl: await servers.postgres.databaseUrl(),
    natsUrl: servers.nats.url,
    // No service consumes the records and settlements.
    env: { STAMPEDE_LOG_LEVEL: "warn", STAMPEDE_LINK_MAX_BYTES: String(1024 * 1024 * 1024) },
  });
  t.teardown(() => pipeline.stop());
  const { token, organisationId } = pipeline.publisher;
  const members = await new PublisherClient(pipeline.edge.url, token).enrol(
    ...Array.from({ length: 20 }, (_, i) => `m ${i}`),
  );

  const services: Record<"edge" | "ingest", ServiceProcess> = {
    edge: pipeline.edge,
    ingest: pipeline.ingest,
  };
  // The edge comes back at another address, as behind any load balancer; the client does not notice.
  const balancer = await Balancer.start(() => [services.edge]);
  t.teardown(() => balancer.close());
  const random = new SeededRandom(SEED);
  const book = new StreamBook(new SeededRandom(SEED + 1), members);
  const client = new StampedeClient({ baseUrl: balancer.url, token });
  // An undeliverable event is reported to the consumer.
  t.teardown(() => client.close().catch(() => {}));
  let known = 0;
  let isOver = false;
  const failures: Record<string, number> = {};

  const killing = (async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = VICTIMS[kill % VICTIMS.length] as "edge" | "ingest";
      const from = (EVENTS * (kill + 1)) / (KILLS + 1);
      await waitFor(() => known >= from || isOver, {
        deadlineMs: RECOVERY_MS + (EVENTS / EVENTS_PER_SECOND_AT_LEAST) * 1_000,
        message: `${known} outcomes, and no ${from}`,
      });
      await services[victim].kill();
      await delay(random.between(AWAY_MS.least, AWAY_MS.most));
      services[victim] = await pipeline.start(victim);
      t.ok(known < EVENTS, `${victim} was killed and is back after ${known} outcomes`);
    }
  })();
  const results = client.ingestAll(book.events(EVENTS), {
    maxEvents: 200,
    maxBuffered: 2_000,
    retryForMs: RECOVERY_MS,
    onRetry: ({ error: { code } }) => {
      failures[code] = (failures[code] ?? 0) + 1;
    },
  });
  const consuming = (async () => {
    for await (const { event, outcome } of results) {
      book.settle(event, outcome);
      known++;
    }
    isOver = true;
  })();
  // Ends with the first failure of either: without the service the other would wait in vain.
  await Promise.all([consuming, killing]);
  t.equal(known, EVENTS);
  t.ok((failures.connection_error ?? 0) > 0, "requests were open when the edge was killed");

  // Events that were answered 202 are still on their way.
  await drained(pipeline);
  t.strictSame(await book.audit(pipeline.store, organisationId), []);
  t.comment({ told: book.told, failures });
});
