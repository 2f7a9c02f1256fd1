import fc from "fast-check";
import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { LostPartitions, type StreamMessage } from "#nats";
import { takeOverPosition } from "../positions/ingest-position.ts";
import { type Drafted, setUp } from "./test-committer.ts";

t.setTimeout(120_000);

/**
 * When the stream stored the first message of a test, in milliseconds. In microseconds it is the number that
 * its first event gives.
 */
const AT = Date.now() - 600_000;
const FIRST = AT * 1000;
const ENDED = "2026-05-02T10:00:00Z";

/** A partition that reads the first `held` messages again. */
async function setUpReplay(t: Test, held = 100) {
  const ingest = await setUp(t, { held });
  const { store, toMessage } = ingest;
  /** A message that the stream stored `ms` milliseconds after the first. */
  const said = (drafts: readonly Drafted[], ms = 0): StreamMessage =>
    toMessage(drafts, true, uuidv7(), AT + ms);
  const numbers = async (): Promise<Record<string, number | null>> => {
    const rows = await store<{ ref: string; order: number | null }[]>`
      select external_id as ref, settled_order as order from transactions where state <> 'authorized' order by 1`;
    return Object.fromEntries(rows.map(({ ref, order }) => [ref, order]));
  };
  const drawn = async () => {
    const [{ last }] = await store<
      [{ last: number }]
    >`select last_value as last from transactions_settled_order`;
    return last;
  };
  return { ...ingest, said, numbers, drawn };
}

const authorized = (ref: string): Drafted => ({ ref });
const cleared = (ref: string): Drafted => ({ ref, clearedAt: ENDED });
const reverted = (ref: string): Drafted => ({ ref, revertedAt: ENDED });

t.test(
  "replay - a settled transaction gets the time of its message and the place of its event",
  async (t) => {
    const { said, commitAll, numbers, drawn } = await setUpReplay(t);
    await commitAll(said([authorized("a"), cleared("b"), reverted("c")]));
    await commitAll(said([authorized("d"), cleared("a")], 2.5));
    t.strictSame(
      await numbers(),
      { a: FIRST + 2501, b: null, c: null },
      "a row that is final when it is first stored gets none, as the first time",
    );
    t.ok((await drawn()) > FIRST + 2501, "numbers drawn from now on are higher");
  },
);

t.test("replay - messages that lie closer than they have events keep their order", async (t) => {
  const { said, commitAll, numbers, storeBeside } = await setUpReplay(t);
  await storeBeside([..."abcdefgh"].map(authorized));
  await commitAll(
    said([cleared("a"), cleared("b"), cleared("c")]),
    said([cleared("d"), cleared("e")], 0.001),
  );
  await commitAll(said([cleared("f")], 0.004));
  await commitAll(said([cleared("g")], -1), said([cleared("h")], 1));
  const places = { a: 0, b: 1, c: 2, d: 3, e: 4, f: 5, g: 6, h: 1000 };
  const expected = Object.entries(places).map(([ref, place]) => [ref, FIRST + place]);
  t.strictSame(
    await numbers(),
    Object.fromEntries(expected),
    "also from batch to batch, and if the clock goes back",
  );
});

t.test(
  "replay - of several events the settling one gives the number, and a final transaction keeps its own",
  async (t) => {
    const { said, commitAll, numbers } = await setUpReplay(t);
    await commitAll(
      said([authorized("a"), { ...cleared("a"), authCode: "other" }, authorized("b")]),
      said([reverted("a"), cleared("b"), { ...authorized("b"), amount: 5 }, cleared("a")], 1),
    );
    const once = { a: FIRST + 1000, b: FIRST + 1001 };
    t.strictSame(await numbers(), once, "neither the refused event before it nor the one supplied later");
    await commitAll(said([{ ...cleared("c") }], 2), said([{ ...cleared("c"), amount: 1 }], 3));
    await commitAll(said([{ ...cleared("c"), amount: 7 }, { ...reverted("a"), amount: 9 }, cleared("b")], 4));
    t.strictSame(await numbers(), { ...once, c: null });
  },
);

t.test("replay - new messages in the same batch draw numbers, which are higher", async (t) => {
  const { said, commitAll, numbers, commit } = await setUpReplay(t, 2);
  await commitAll(said([authorized("a"), authorized("b"), authorized("c")]));
  // The second message is read again, the third is new.
  await commitAll(
    said([cleared("a"), authorized("d")], 1),
    said([reverted("b"), cleared("d"), cleared("e")], 2),
  );
  await commit([reverted("c")]);
  const of = await numbers();
  t.equal(of.a, FIRST + 1000);
  t.equal(of.e, null);
  for (const ref of ["b", "d"]) {
    t.ok((of[ref] ?? 0) > Date.now() * 1000 - 60_000_000, "drawn");
    t.ok((of.c ?? 0) > (of[ref] ?? 0), "and one of later is above it");
  }
});

t.test("replay - drawn numbers are higher, even if the clock of NATS was ahead", async (t) => {
  const { said, commitAll, commit, numbers, storeBeside } = await setUpReplay(t, 1);
  await storeBeside([authorized("a")]);
  await commitAll(said([cleared("a"), authorized("b")], 7_200_000));
  await commit([cleared("b")]);
  const { a, b } = await numbers();
  t.equal(a, FIRST + 7_200_000_000);
  t.ok((b ?? 0) > (a ?? 0));
});

t.test(
  "replay - if nothing is read again, numbers are small, and a row that is final from the start has none",
  async (t) => {
    const { commit, store } = await setUp(t);
    await commit([authorized("a"), cleared("b")]);
    await commit([cleared("a")]);
    const rows = await store`select external_id as ref, settled_order as order from transactions order by 1`;
    t.strictSame(rows, [
      { ref: "a", order: 1 },
      { ref: "b", order: null },
    ]);
  },
);

t.test("replay - a recreated stream under a running server gives no numbers", async (t) => {
  const { said, commitAll, numbers, store, takesOver } = await setUpReplay(t);
  await store`update ingest_positions set stream_created = 'another'`;
  await takesOver();
  const [row] =
    await store`select replay_through is not null as through, replay_order as order from ingest_positions`;
  t.strictSame(row, { through: true, order: null });
  await commitAll(said([authorized("a"), authorized("b")]), said([cleared("b")], 1));
  await commitAll(said([reverted("a")], 2));
  const { a, b } = await numbers();
  t.equal(b, null, "as of new messages");
  t.ok((a as number) > FIRST + 10_000_000, "drawn");
});

t.test("replay - a batch that the database refuses at first has the same numbers", async (t) => {
  const { said, commitAll, storeBeside, numbers, counts } = await setUpReplay(t);
  await storeBeside([authorized("k"), authorized("b")]);
  await commitAll(said([authorized("z")]));
  await storeBeside([authorized("zz")]);
  await commitAll(said([cleared("zz"), cleared("zy"), reverted("b")], 1));
  t.equal(counts.contradicted, 1, "a key that is above all known ones was there");
  t.strictSame(await numbers(), { b: FIRST + 1002, zy: null, zz: FIRST + 1000 });
});

t.test(
  "replay - a batch that was not committed, and one of the next owner, give the same numbers",
  async (t) => {
    const { said, commitAll, numbers, takesOver, store, storeBeside } = await setUpReplay(t);
    await storeBeside([..."abce"].map(authorized));
    await commitAll(said([cleared("a"), cleared("b"), cleared("c"), authorized("d")]));
    const next = said([cleared("d"), reverted("e")], 0.001);
    await takeOverPosition(store, 0);
    await t.rejects(commitAll(next), LostPartitions, "another process has taken it over");
    t.match(await numbers(), { d: undefined, e: undefined });
    await takesOver();
    await commitAll(next);
    t.match(await numbers(), { d: FIRST + 4, e: FIRST + 5 }, "after those of the previous owner");
  },
);

t.test(
  "replay - after another restore, numbers drawn since the first one are lower, and new ones are higher",
  async (t) => {
    const { said, commit, commitAll, numbers, drawn, takesOver, store, storeBeside } = await setUpReplay(
      t,
      1,
    );
    await storeBeside([authorized("a"), authorized("d")]);
    await commitAll(said([cleared("a"), authorized("b"), authorized("c")]));
    await commit([cleared("b")]);
    const last = await drawn();
    t.ok(last > Date.now() * 1000 - 60_000_000, "raised when the partition was taken over");
    const later = said([cleared("c"), cleared("d"), authorized("e")], Math.ceil(last / 1000) + 5 - AT);
    await store`update ingest_positions set server_started = 'epoch'`;
    await takesOver();
    await commitAll(later);
    await commit([cleared("e")]);
    const { a, b, c, d, e } = await numbers();
    t.equal(a, FIRST);
    const order = [a, b, c, d, e].map((number) => number ?? 0);
    t.strictSame(
      order.toSorted((one, other) => one - other),
      order,
      "in the order in which they settled",
    );
    t.equal(d, (c ?? 0) + 1);
  },
);

const messages = fc.array(
  fc.record({
    gap: fc.constantFrom(0, 0, 0.001, 0.002, 1),
    events: fc.array(
      fc.record({
        key: fc.integer({ min: 0, max: 4 }),
        ends: fc.constantFrom({}, {}, { clearedAt: ENDED }, { revertedAt: ENDED }),
        amount: fc.constantFrom(undefined, 3),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);
/** The messages after which a batch ends, and whether the process is killed there. */
const batchings = fc.array(fc.constantFrom("goes on", "ends", "is killed"), { minLength: 6, maxLength: 6 });

t.test(
  "replay - one log gives one order, however it is cut into batches, and with every next owner",
  async (t) => {
    const { said, commitAll, store, takesOver } = await setUpReplay(t, 1_000_000);
    const ofLog = async (
      log: readonly {
        gap: number;
        events: readonly { key: number; ends: object; amount?: number | undefined }[];
      }[],
      cuts: readonly string[],
    ) => {
      const run = uuidv7();
      await store`update ingest_positions set replay_order = 0`;
      await takesOver();
      let ms = 0;
      let batch: StreamMessage[] = [];
      for (const [i, { gap, events }] of log.entries()) {
        ms += gap;
        batch.push(
          said(
            events.map(({ key, ends, amount }) => ({
              ref: `${run}-${key}`,
              ...ends,
              ...(amount !== undefined && { amount }),
            })),
            ms,
          ),
        );
        if (cuts[i] === "goes on" && i + 1 < log.length) continue;
        await commitAll(...batch);
        batch = [];
        if (cuts[i] === "is killed") await takesOver();
      }
      const rows = await store<{ ref: string; order: number | null }[]>`
      select right(external_id, 1) as ref, settled_order as order from transactions
      where external_id like ${`${run}-%`} and state <> 'authorized' order by 1`;
      return rows.map(({ ref, order }) => [ref, order]);
    };
    await fc.assert(
      fc.asyncProperty(messages, batchings, batchings, async (log, one, other) => {
        t.strictSame(await ofLog(log, one), await ofLog(log, other));
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 20) },
    );
  },
);
