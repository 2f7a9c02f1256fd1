import { createServer, type Socket } from "node:net";
import fc from "fast-check";
import t from "tap";
import { resetSocket, testServers } from "#test-support";
import { closeStore, connectStore, type Store } from "./connect.ts";

let store: Store;

t.before(async () => {
  const { databaseUrl } = await testServers();
  store = connectStore({ url: await databaseUrl(), max: 1, applicationName: "test" });
});

t.teardown(() => closeStore(store));

const TYPES = ["text", "int4", "int8", "uuid"] as const;

/** The database's answer to this array. */
async function echo(values: readonly unknown[], type: (typeof TYPES)[number]): Promise<unknown> {
  const given = values as string[];
  const asked = {
    text: () => store<{ a: unknown }[]>`select ${given}::text[] as a`,
    int4: () => store<{ a: unknown }[]>`select ${given}::int[] as a`,
    int8: () => store<{ a: unknown }[]>`select ${given}::bigint[] as a`,
    uuid: () => store<{ a: unknown }[]>`select ${given}::uuid[] as a`,
  };
  return (await asked[type]())[0]?.a;
}

t.test("arrays - texts with any characters come back unchanged", async (t) => {
  // No zero byte: Postgres allows none in texts. Halves of surrogate pairs are not UTF-8.
  const texts = fc.array(
    fc.option(
      fc
        .string({ unit: fc.constantFrom("a", '"', "\\", ",", "{", "}", " ", "\n", "NULL", "ä", "😀") })
        .filter((text) => !text.includes("\0")),
      { nil: null },
    ),
    { maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(texts, async (given) => {
      t.strictSame(await echo(given, "text"), given);
    }),
    { numRuns: 60 },
  );
});

t.test("arrays - of every type that statements use", async (t) => {
  t.strictSame(await echo([1, -2, null], "int4"), [1, -2, null]);
  t.strictSame(await echo([1, Number.MAX_SAFE_INTEGER], "int8"), [1, Number.MAX_SAFE_INTEGER]);
  const id = "01980000-0000-7000-8000-000000000001";
  t.strictSame(await echo([id, null], "uuid"), [id, null]);
  t.strictSame(await echo([id, id.toUpperCase()], "uuid"), [id, id]);
  // An element is one element, whatever it holds.
  await t.rejects(echo([`${id},${id}`], "uuid"), { code: "22P02" });
  await t.rejects(echo(["1,2"], "int4"), { code: "22P02" });
  await t.rejects(echo([""], "uuid"), { code: "22P02" });
  t.strictSame(await echo([], "text"), []);
  const moment = "2026-05-01T10:00:00.123Z";
  const [row] = await store<{ flags: unknown; bytes: unknown; moments: unknown; shares: unknown }[]>`
    select array[true, false] as flags, array['\\x00ff', '\\x']::bytea[] as bytes,
      ${[moment]}::timestamptz[] as moments, array[0.5, 2]::float8[] as shares`;
  t.strictSame(row, {
    flags: [true, false],
    bytes: [Buffer.from([0, 255]), Buffer.from([])],
    moments: [new Date(moment)],
    shares: [0.5, 2],
  });
});

t.test(
  "a server that goes away while a connection is made fails the statement and not the process",
  async (t) => {
    const faults: unknown[] = [];
    const note = (fault: unknown) => void faults.push(fault);
    process.on("unhandledRejection", note);
    t.teardown(() => process.off("unhandledRejection", note));
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      // Lets the client in and hangs up at its first query: AuthenticationOk, ReadyForQuery.
      socket.once("data", () => {
        socket.write(Buffer.from("52000000080000000054".slice(0, 18), "hex"));
        socket.write(Buffer.from("5a0000000549", "hex"));
        socket.once("data", () => resetSocket(socket));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    });
    const { port } = server.address() as { port: number };
    const doomed = connectStore({
      url: `postgres://u:p@127.0.0.1:${port}/d`,
      max: 1,
      applicationName: "test",
    });
    t.teardown(() => closeStore(doomed));
    for (let n = 0; n < 5; n++) await t.rejects(doomed`select 1`.then());
    await new Promise((resolve) => setTimeout(resolve, 50));
    t.strictSame(faults, []);
  },
);
