import t, { type Test } from "tap";
import { testServers } from "#test-support";
import { closeStore, connectStore } from "./connect.ts";
import { StreamPlaces } from "./stream-places.ts";

const PLACE = { hop: "OUTCOMES", partition: 3, streamCreated: "then", done: 7, storedAtMs: 1.5 };

async function setUp(t: Test, table?: string) {
  const url = await (await testServers()).databaseUrl();
  const owner = () => {
    const store = connectStore({ url, max: 1, applicationName: "test" });
    t.teardown(() => closeStore(store));
    return { store, places: new StreamPlaces(store, table) };
  };
  return { owner };
}

for (const table of ["stream_places", "platform.stream_places"]) {
  t.test(`stream places - ${table} keeps how far a partition is`, async (t) => {
    const { owner } = await setUp(t, table);
    const { places } = owner();
    t.equal(await places.takeOver("OUTCOMES", 3), undefined, "nothing is done yet");
    t.strictSame(await places.keep([PLACE, { ...PLACE, partition: 4 }]), [3], "the other was not taken over");
    const { hop, partition, ...place } = PLACE;
    t.strictSame(await places.takeOver(hop, partition), place);
    t.equal(await places.takeOver("SETTLEMENT", partition), undefined, "each hop has places of its own");
  });
}

t.test("stream places - whoever was taken over moves nothing", async (t) => {
  const { owner } = await setUp(t);
  const [before, after] = [owner(), owner()];
  await before.places.takeOver("OUTCOMES", 3);
  t.strictSame(await before.places.keep([PLACE]), [3]);
  await after.places.takeOver("OUTCOMES", 3);
  t.strictSame(await before.places.keep([{ ...PLACE, done: 99 }]), []);
  t.match(await after.places.takeOver("OUTCOMES", 3), { done: 7 });
});

/** A database that was restored has the place of then, and what this process did since is not in it. */
t.test(
  "stream places - a process whose session was lost moves nothing before it has taken over anew",
  async (t) => {
    const { owner } = await setUp(t);
    const { store, places } = owner();
    await places.takeOver("OUTCOMES", 3);
    await places.keep([PLACE]);
    const [{ pid }] = await store<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await owner().store`select pg_terminate_backend(${pid})`;
    const kept = await places.keep([{ ...PLACE, done: 8 }]).catch(() => places.keep([{ ...PLACE, done: 8 }]));
    t.strictSame(kept, []);
    t.match(await places.takeOver("OUTCOMES", 3), { done: 7 });
    t.strictSame(await places.keep([{ ...PLACE, done: 8 }]), [3]);
  },
);
