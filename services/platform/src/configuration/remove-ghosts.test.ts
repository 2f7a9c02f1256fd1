import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import type { ConfigMessage } from "#contract/platform";
import { encodeId } from "#domain";
import { connectStream, ensureTopology, listConfig, publishNewerConfig, readConfig } from "#nats";
import { createLog } from "#runtime";
import { dealFields, isolation, programFields, testServers, testStore } from "#test-support";
import { dealTable, toDealConfig } from "./deals.ts";
import { programTable, toProgramConfig } from "./programs.ts";
import { removeGhosts } from "./remove-ghosts.ts";

const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 24, linkMaxBytes: 2 ** 24 };

async function setUp(t: Test) {
  const store = await testStore();
  const log = createLog({ service: "test", level: "silent" });
  const { natsUrl } = await testServers();
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, TOPOLOGY);
  const program = { ...(await programTable.create(store, programFields())), retroactiveSpans: [] };
  const deal = { ...(await dealTable.create(store, dealFields())), retroactiveSpans: [] };
  const messages = [toProgramConfig(program), toDealConfig(deal)];
  for (const message of messages) await publishNewerConfig(stream, message);
  /** A record that the database does not have. */
  const addGhost = async (message: ConfigMessage, uuid = uuidv7()) => {
    const id = encodeId(message.kind === "deal" ? "deal" : "lp", uuid);
    await publishNewerConfig(stream, { ...message, id } as ConfigMessage);
    return { kind: message.kind, id };
  };
  const remove = (assertAlone = async () => {}) => removeGhosts({ store, stream, assertAlone, log });
  const read = (named: Pick<ConfigMessage, "kind" | "id">) => readConfig(stream, named);
  return { stream, messages, addGhost, remove, read };
}

t.test(
  "ghosts - a record that the database lacks is removed, by a higher revision, and the rest stays",
  async (t) => {
    const { stream, messages, addGhost, remove, read } = await setUp(t);
    const ghosts = [];
    for (const message of messages) ghosts.push(await addGhost({ ...message, revision: 7 } as ConfigMessage));
    await remove();
    for (const ghost of ghosts) t.strictSame(await read(ghost), { revision: 8, record: null });
    for (const message of messages) t.match(await read(message), { revision: 1, record: { name: String } });
    await remove();
    for (const ghost of ghosts) t.match(await read(ghost), { revision: 8 }, "once");
    t.equal((await listConfig(stream)).length, 4);
  },
);

t.test("ghosts - a copy of a running platform removes nothing", async (t) => {
  const { messages, addGhost, remove, read } = await setUp(t);
  const ghost = await addGhost(messages[0] as ConfigMessage);
  await t.rejects(
    remove(async () => {
      throw new Error("another database");
    }),
    /another database/,
  );
  t.match(await read(ghost), { revision: 1, record: { name: String } });
});

t.test(
  "ghosts - a database that is younger than the record has not lost it: the wrong one removes nothing",
  async (t) => {
    const { messages, addGhost, remove, read } = await setUp(t);
    const older = await addGhost(messages[0] as ConfigMessage, "01980000-0000-7000-8000-000000000001");
    await remove();
    t.match(await read(older), { revision: 1, record: { name: String } });
  },
);
