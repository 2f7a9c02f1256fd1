import t, { type Test } from "tap";
import { createLog } from "#runtime";
import { TcpProxy, testServers, waitFor } from "#test-support";
import { closeStore, connectStore } from "./connect.ts";
import { ExpectedWait, type OwnershipListener, PartitionOwnership } from "./partition-ownership.ts";

const PARTITIONS = 3;
type Service = "ingest" | "platform" | "rewards";

/** Processes that share partitions through a database of the test's own. */
async function setUp(t: Test) {
  const url = await (await testServers()).databaseUrl();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ service: "test", level: "warn", destination });
  const admin = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(admin));
  const proxy = await TcpProxy.start(url);
  t.teardown(() => proxy.close());
  let started = 0;
  const start = async (service: Service, listener: Partial<OwnershipListener> = {}) => {
    const applicationName = `test-locks-${++started}`;
    const store = connectStore({ url: proxy.through(url), max: 1, applicationName });
    const ownership = new PartitionOwnership({
      store,
      service,
      partitions: PARTITIONS,
      log,
      listener: { gained: async () => {}, lost: async () => {}, ...listener },
    });
    await ownership.start();
    t.teardown(async () => {
      await ownership.stop();
      await closeStore(store);
    });
    const endSession = () =>
      admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`;
    return { ownership, endSession };
  };
  return { start, lines, proxy };
}

const countOf = ({ ownership }: { ownership: PartitionOwnership }) => ownership.owned.length;

t.test("ownership - services that use the same database never meet", async (t) => {
  const { start } = await setUp(t);
  const services = await Promise.all((["ingest", "platform", "rewards"] as const).map((one) => start(one)));
  for (const one of services) {
    t.equal(countOf(one), PARTITIONS);
    t.equal(one.ownership.fault, undefined);
  }
});

t.test("ownership - a second process gets its share, and all when the first one is gone", async (t) => {
  const { start } = await setUp(t);
  const lost: Array<[partition: number, finish: boolean]> = [];
  const first = await start("rewards", {
    lost: async (partition, finish) => void lost.push([partition, finish]),
  });
  const second = await start("rewards");
  await waitFor(() => countOf(first) === 2 && countOf(second) === 1, { message: "they do not share" });
  t.strictSame(lost, [[2, true]], "it was given up, and not lost");
  await first.ownership.stop();
  await waitFor(() => countOf(second) === PARTITIONS, { message: "its partitions have no owner" });
});

t.test(
  "ownership - a process that loses its session loses the partitions, and another takes them",
  async (t) => {
    const { start } = await setUp(t);
    const lost: Array<[partition: number, finish: boolean]> = [];
    const first = await start("platform", {
      lost: async (partition, finish) => void lost.push([partition, finish]),
    });
    t.equal(countOf(first), PARTITIONS);
    const second = await start("platform");
    await waitFor(() => countOf(second) === 1, { message: "it gets no share" });
    await first.endSession();
    await waitFor(() => lost.some(([, finish]) => !finish), { message: "it does not notice" });
    await waitFor(() => countOf(first) + countOf(second) === PARTITIONS, { message: "one has no owner" });
  },
);

t.test(
  "regression - after a lost session a partition counted as had before a copy could be asked for",
  async (t) => {
    const { start } = await setUp(t);
    let had = () => 0;
    const counted: number[] = [];
    const { ownership, endSession } = await start("ingest", { gained: async () => void counted.push(had()) });
    t.equal(ownership.locked, PARTITIONS);
    had = () => ownership.locked;
    counted.length = 0;
    await endSession();
    await waitFor(() => counted.length === PARTITIONS, { message: "it takes them over again" });
    t.strictSame(counted, [0, 0, 0]);
    await waitFor(() => ownership.locked === PARTITIONS, { message: "they count" });
  },
);

t.test("ownership - the last owner hears of its partitions exactly while ownership is unknown", async (t) => {
  const { start, proxy } = await setUp(t);
  const told: (readonly number[])[] = [];
  const { ownership } = await start("ingest", {
    adrift: async (partitions) => void told.push(partitions),
  });
  t.strictSame(told, []);
  proxy.refuse();
  await waitFor(() => told.length > 1, { message: "it is not told" });
  t.strictSame(told[1], [0, 1, 2], "again and again");
  proxy.thaw();
  await waitFor(() => ownership.fault === undefined && countOf({ ownership }) === PARTITIONS, {
    message: "it does not take them over again",
  });
  const before = told.length;
  ownership.kick();
  await waitFor(() => ownership.fault === undefined, { message: "a round more" });
  t.equal(told.length, before);
});

t.test("ownership - a partition that cannot be taken over is kept, said, and tried again", async (t) => {
  const { start, lines } = await setUp(t);
  let isReady = false;
  const { ownership } = await start("ingest", {
    gained: async (partition) => {
      if (partition === 1 && !isReady) throw new Error("not yet");
      if (partition === 2 && !isReady) throw new ExpectedWait("soon");
    },
  });
  t.match(lines, [/"partition":1,.*not yet/], "an expected wait is no warning");
  t.strictSame([...ownership.owned], [0]);
  t.equal(ownership.fault, "partition 1 is not taken over: not yet");
  isReady = true;
  ownership.kick();
  await waitFor(() => ownership.owned.length === PARTITIONS, { message: "it is not tried again" });
  t.equal(ownership.fault, undefined);
});
