import t, { type Test } from "tap";
import { createProgram, Terminal } from "#cli";
import {
  makeEvent,
  type Pipeline,
  PublisherClient,
  type ServiceProcess,
  startPipeline,
  testServers,
  waitFor,
} from "#test-support";

t.setTimeout(180_000);

const SERVICES = ["ingest", "platform", "rewards"] as const;
const KEPT_OUT = /of another database own partitions/;

/** A whole installation, and another database with processes that get the same streams. */
async function setUp(t: Test) {
  const original = await startPipeline();
  t.teardown(() => original.stop());
  const own = [
    original.ingest,
    ...(await Promise.all([original.start("platform"), original.start("rewards")])),
  ];
  await waitFor(() => own.every(gained), { message: "it does not take its partitions over" });
  const databaseUrl = await (await testServers()).databaseUrl();
  const copy = await startPipeline({ databaseUrl, streamPrefix: original.streamPrefix, begin: [] });
  t.teardown(() => copy.stop());
  return { original, own, copy };
}

/** The output of `stampede doctor` with the settings of these services. */
async function doctor({ databaseUrl, natsUrl, streamPrefix }: Pipeline): Promise<string> {
  const said: string[] = [];
  const terminal = new Terminal({ write: (text) => void said.push(` ${text}`) }, { write: () => {} });
  const env = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, STAMPEDE_STREAM_PREFIX: streamPrefix };
  await createProgram({ terminal, env, exit: () => {} }).parseAsync(["doctor"], { from: "user" });
  return said.join("");
}

const gained = (service: ServiceProcess) => /partition gained/.test(service.output());

t.test("copy guard", async (t) => {
  const { original, own, copy } = await setUp(t);
  let drills: readonly ServiceProcess[] = [];

  await t.test(
    "processes of another database are kept out while the first ones work, and let in when those have stopped",
    async (t) => {
      const client = new PublisherClient(original.edge.url, original.publisher.token);
      const [memberId] = (await client.enrol("ada")) as [string];
      await client.apply([makeEvent(memberId)]);

      drills = await Promise.all(SERVICES.map((service) => copy.start(service)));
      for (const drill of drills) {
        await waitFor(() => KEPT_OUT.test(drill.output()), { message: `${drill.service} is let in` });
        t.match((await drill.ops("/readyz?verbose")).body, KEPT_OUT, "and it says why it does nothing");
      }
      t.match(await doctor(copy), / fail {2}stream owners .* of another database read these streams/);
      t.match(await doctor(original), / ok {4}stream owners /);
      for (let n = 0; n < 20; n++) await client.apply([makeEvent(memberId)]);
      const [rows] = await copy.store`
      select (select count(*)::int from ingest_positions) as positions, (select count(*)::int from stream_places) as places,
             (select count(*)::int from platform.stream_places) as records`;
      t.strictSame(rows, { positions: 0, places: 0, records: 0 }, "the copy has no new rows");

      const second = await original.start("ingest");
      await waitFor(() => gained(second), { message: "another of the same is kept out" });
      await Promise.all([...own, second].map((service) => service.stop()));
      for (const drill of drills) {
        await waitFor(() => gained(drill), { message: `${drill.service} is kept out for ever` });
      }
    },
  );

  await t.test("if both start at once, as when production starts again, one of the two runs", async (t) => {
    await Promise.all(drills.map((service) => service.stop()));
    const begun = await Promise.all(
      SERVICES.flatMap((service) => [original.start(service), copy.start(service)]),
    );
    const winners = new Map<string, string>();
    for (const service of SERVICES) {
      const both = begun.filter((one) => one.service === service);
      await waitFor(() => both.some(gained) && both.some((one) => KEPT_OUT.test(one.output())), {
        message: `${service}: neither is let in, or both are`,
      });
      t.equal(both.filter(gained).length, 1, service);
      winners.set(service, original.processes.has(both.find(gained) as ServiceProcess) ? "original" : "copy");
    }
    t.equal(
      winners.get("ingest"),
      winners.get("rewards"),
      "ingest of one database does not run beside rewards of the other",
    );
  });
});
