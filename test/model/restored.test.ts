/**
 * The publisher's database goes back to some moment of a history while NATS keeps its streams, and their
 * messages are applied again. The end must be that of the uncut history, to the last id, even where the model
 * allows another. README.md says how to run more.
 */
import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { decodeId, SeededRandom } from "#domain";
import { ARCHIVING, privatePostgres, restore, takeBaseBackup, testServers } from "#test-support";
import { type Difference, differencesOf, readWallets } from "./compare-restored.ts";
import { History, type Request } from "./history.ts";
import { Services, Story } from "./services.ts";

const { MODEL_SEEDS = "4", MODEL_FROM = "1", MODEL_RESTORES = "1" } = process.env;
/**
 * `rewards` or `platform`: away until the cut has come, so that many messages are on their way. Rewards then
 * reported purchases that had settled meanwhile, and no stream says when it looked: so the earnings may
 * differ.
 */
const LATE = process.env.MODEL_LATE as "rewards" | "platform" | undefined;
t.setTimeout(590_000);

/**
 * Whether the earnings must be the same to the last id. Until rewards decides repeated outcomes as of their
 * time, a stamp that was reported and voided is never made, and a clip may go to another purchase: the test
 * prints such differences as comments.
 */
const ARE_REWARDS_EXACT = process.env.MODEL_EXACT !== undefined;

const TOGETHER = 30;
const STEPS = 14;
/** The cut comes at most this long after the beginning of the second half. */
const CUT_WITHIN_MS = 1_500;
/** For a server that ends with the test: the kernel keeps what a killed process wrote. */
const FAST = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };

/**
 * Requests whose data is in a stream, or in the platform's database, which is not restored. Members, cards
 * and clips come over HTTP.
 */
const IN_STREAMS: ReadonlySet<Request["kind"]> = new Set(["event", "payment", "program", "deal", "retailer"]);

t.test("a history ends as it did when its database is restored in the middle of it", async (t) => {
  const last = Number(MODEL_FROM) + Number(MODEL_SEEDS);
  const counts = new Map<string, number>();
  const failed = new Set<number>();
  for (let from = Number(MODEL_FROM); from < last; from += TOGETHER) {
    const seeds = Array.from({ length: Math.min(TOGETHER, last - from) }, (_, i) => from + i);
    await t.test(`seeds from ${from}`, async (t) => {
      for (const { seed, kind, line } of await putBack(t, seeds)) {
        t.comment(`seed ${seed}: ${kind}: ${line}`);
        if (!ARE_REWARDS_EXACT && !/^(purchase|rejection) /.test(kind)) continue;
        failed.add(seed);
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
    });
  }
  t.strictSame(Object.fromEntries(counts), {}, `seeds ${[...failed]} differ`);
});

interface Found extends Difference {
  readonly seed: number;
}

async function putBack(t: Test, seeds: readonly number[]): Promise<Found[]> {
  const postgres = await privatePostgres({ ...ARCHIVING, ...FAST });
  t.teardown(() => postgres.remove());
  const options = {
    databaseUrl: await postgres.databaseUrl(),
    platformDatabaseUrl: await (await testServers()).databaseUrl(),
    env: { STAMPEDE_REPLAY_MINUTES: "60" },
  };
  const services = await Services.open(t, options, false);
  const run = Date.now().toString(36);
  const stories = seeds.map((seed) => new Story(new History(seed, run, () => {}), services));
  const tell = (side: "publisher" | "both", kinds?: ReadonlySet<string>) =>
    Promise.all(
      stories.map(async ({ history }, i) => {
        for (let step = 0; step < STEPS; step++) {
          const request = history.next(side);
          if (kinds?.has(request.kind) ?? true) await stories[i]?.ask(request);
        }
      }),
    );
  await Promise.all(stories.map((story) => story.setUp()));
  await tell("both");
  await Promise.all(
    stories.map(async (story) => {
      for (const request of story.history.givesBack()) await story.ask(request);
    }),
  );
  await tell("publisher");

  if (LATE !== undefined) await services.end(LATE, "stop");
  const side = LATE === "platform" ? "publisher" : "both";
  const cut = async () => {
    await delay(new SeededRandom(seeds[0] ?? 0).next() * CUT_WITHIN_MS);
    const backup = await takeBaseBackup(postgres);
    if (LATE !== undefined) await services.begin(LATE);
    return backup;
  };
  const goOn = async () => {
    await tell(side, IN_STREAMS);
    await tell(side, IN_STREAMS);
  };
  const [backup] = await Promise.all([cut(), goOn()]);
  await services.rest();

  const { store } = services.pipeline;
  const before = await readWallets(store);
  const found: Found[] = [];
  let numbers: unknown;
  for (let time = 1; time <= Number(MODEL_RESTORES); time++) {
    await services.restored(() => restore(postgres, backup, "backup"));
    await services.rest();
    const seedOf = seedsBy(stories, seeds);
    found.push(
      ...differencesOf(before, await readWallets(store)).map((one) => ({ ...one, seed: seedOf(one) })),
    );
    const again = await store`
      select external_id, settled_order from transactions where state <> 'authorized' order by external_id`;
    if (numbers !== undefined)
      t.strictSame(again, numbers, "every restore gives the same order of settlings");
    numbers = again;
  }
  return found;
}

/** The story that a record belongs to. */
function seedsBy(stories: readonly Story[], seeds: readonly number[]): (one: Difference) => number {
  const ofMember = new Map<string, number>();
  for (const [i, { members }] of stories.entries()) {
    for (const id of members) ofMember.set(decodeId("m", id) as string, seeds[i] as number);
  }
  return ({ ref, memberId }) => {
    if (ref !== null)
      return seeds[stories.findIndex(({ history }) => ref.startsWith(`${history.name}-`))] ?? 0;
    return ofMember.get(memberId ?? "") ?? 0;
  };
}
