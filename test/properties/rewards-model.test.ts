import fc from "fast-check";
import t, { type Test } from "tap";
import { SeededRandom } from "#domain";
import { verifyRewards } from "#publisher-db";
import {
  endedProcesses,
  isLoopAtRest,
  type Pipeline,
  PlatformClient,
  PlatformLink,
  PublisherClient,
  readStream,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";
import { explain, type Observed } from "./rewards/explain.ts";
import { MixedPost } from "./rewards/mixed-post.ts";
import { PaidRun } from "./rewards/paid-run.ts";
import type { RewardRound } from "./rewards/reward-round.ts";
import { RewardRows } from "./rewards/reward-rows.ts";
import { merchantOf, type RewardRun } from "./rewards/reward-run.ts";
import { SAVED_DEAL } from "./rewards/saved-deal.ts";
import { PHASES, type Script, scripts } from "./rewards/script.ts";
import { STAMP_CARD } from "./rewards/stamp-card.ts";
import { Till } from "./rewards/till.ts";
import { ToldRun } from "./rewards/told-run.ts";
import { traceFaults } from "./rewards/traced.ts";

/**
 * Random lives of members: enrolments, transactions in every state, payments, outcomes and settlements resent and
 * reordered, programs changed and removed, two rewards processes of which one is killed in every phase. After each
 * phase of each round the events and rows of every stamp collection and clip must be those of a simple model, for
 * some order in which the messages may have arrived (`explain`); and the traces of purchases miss nothing of them.
 *
 * Runs go by the hundreds at once, on members of one organisation, so that batches mix them. Nothing is shrunk: a
 * smaller script meets another timing, and what failed is shown whole. The model itself is tested with shrinking, in
 * memory, by `rewards/explain.test.ts`. `npm run test:long` makes 20,000 runs. `FC_SEED` repeats the scripts and the mixing (not the timing), `FC_RUNS`
 * makes it longer.
 */
const SEED = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? (process.env.TEST_LONG === undefined ? 200 : 20_000));
/** This many concurrently, because a run spends nearly all of its time waiting for answers. */
const RUNS_PER_ROUND = 200;
const CONFIGURED_AT_ONCE = 20;
/**
 * One in this many runs has its outcomes from the platform, by payments; the test makes the outcomes of the
 * others.
 */
const PAID_EVERY = 4;
const REST_MS = 60_000;

/** How often each thing was observed. */
type Seen = Map<string, number>;

t.setTimeout(400_000 + RUNS * 100);

t.test(`rewards - any commands in any order end as the model says (FC_SEED=${SEED})`, async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_LOG_LEVEL: "warn" } });
  t.teardown(() => pipeline.stop());
  const link = await PlatformLink.open(pipeline);
  t.teardown(() => link.close());
  const processes = [await pipeline.start("rewards"), await pipeline.start("rewards")];
  const { url } = await pipeline.start("platform");
  const platform = { url, operator: new PlatformClient(url, await pipeline.newPlatformToken()) };
  const random = new SeededRandom(SEED);
  const seen: Seen = new Map();
  const all = fc.sample(scripts, { seed: SEED, numRuns: RUNS });
  for (let round = 0; round * RUNS_PER_ROUND < RUNS; round++) {
    const batch = all.slice(round * RUNS_PER_ROUND, (round + 1) * RUNS_PER_ROUND);
    const faults = await playRound({ pipeline, link, platform, processes, random, scripts: batch, seen });
    if (faults.length === 0) continue;
    // Later rounds would fail for the same reason, more slowly.
    t.fail(`round ${round}: ${faults.length} of its stamp collections and clips are not explained`, {
      faults: faults.slice(0, 3),
    });
    break;
  }
  await checkTheRest(t, pipeline, processes);
  // A generator that never gets there would prove nothing.
  for (const type of EXPECTED) t.ok((seen.get(type) ?? 0) >= RUNS / 50, `${type}: ${seen.get(type)}`);
  t.comment(Object.fromEntries(seen));
});

const EXPECTED = [
  "cashback.created",
  "cashback.cleared",
  "cashback.reverted",
  "qualifying_purchase.created",
  "qualifying_purchase.voided",
  "qualifying_purchase.unredeemed",
  "clip redeemed",
];

interface Platform {
  readonly url: string | undefined;
  readonly operator: PlatformClient;
}

interface Play {
  readonly pipeline: Pipeline;
  readonly link: PlatformLink;
  readonly platform: Platform;
  readonly processes: ServiceProcess[];
  readonly random: SeededRandom;
  readonly scripts: readonly Script[];
  readonly seen: Seen;
}

/** The runs that the model cannot explain, in full. */
async function playRound({
  pipeline,
  link,
  platform,
  processes,
  random,
  scripts,
  seen,
}: Play): Promise<string[]> {
  const publisher = await pipeline.newPublisher();
  const client = new PublisherClient(pipeline.edge.url, publisher.token);
  const members = await client.enrol(...scripts.map((_, i) => `member ${i}`));
  const killer = new Killer(pipeline, processes, random);
  const round: RewardRound = {
    organisationId: publisher.organisationId,
    client,
    till: new Till(client, pipeline.store, publisher.organisationId),
    link,
    operator: platform.operator,
    shop: await openShop(platform, publisher.organisationId),
    post: new MixedPost(link, random),
    owned: [],
    performed: () => killer.performed(),
  };
  const runs = scripts.map((script, i) => {
    return new (i % PAID_EVERY === 0 ? PaidRun : ToldRun)(round, i, members[i] as string, script);
  });
  // All at once they would be a thousand synced messages in flight, more than a busy disk stores before a
  // publisher gives up.
  for (let i = 0; i < runs.length; i += CONFIGURED_AT_ONCE) {
    await Promise.all(runs.slice(i, i + CONFIGURED_AT_ONCE).map((run) => run.configure()));
  }
  await atRest(pipeline, link);
  await Promise.all(runs.map((run) => run.begin()));
  const rows = new RewardRows(pipeline.store, publisher.organisationId);
  const since = new Map<string, number>();
  for (let phase = 0; phase < PHASES; phase++) {
    const commands = scripts.reduce((sum, { phases }) => sum + (phases[phase]?.length ?? 0), 0);
    killer.arm(random.between(1, commands));
    await Promise.all(runs.map((run) => run.perform(phase)));
    await round.post.empty();
    await killer.done();
    await atRest(pipeline, link);
    await rows.read();
    for (const run of runs) {
      for (const { uuid } of run.records) if (!since.has(uuid)) since.set(uuid, phase);
      run.diary.phase += 1;
    }
  }
  for (const observed of rows.observed.values()) count(observed, seen);
  const faults = runs.flatMap((run) => examine(run, rows, since));
  return [...faults, ...(await traceFaults(pipeline.store, publisher.organisationId))];
}

/** One retailer for all paid runs, with a merchant id for each. */
async function openShop(platform: Platform, organisationId: string): Promise<PlatformClient> {
  const merchant_ids = Array.from({ length: RUNS_PER_ROUND }, (_, i) => merchantOf(organisationId, i));
  const { token } = await platform.operator.call("retailer/upsert", { name: "Shops", merchant_ids });
  return new PlatformClient(platform.url, token);
}

async function atRest(pipeline: Pipeline, link: PlatformLink): Promise<void> {
  const isAtRest = async () => (await isLoopAtRest(pipeline, link)) && !(await awaitsClip(pipeline));
  await waitFor(isAtRest, { deadlineMs: REST_MS, message: "messages are left" });
}

/** Whether a purchase that had found a clip redeemed is still to redeem it, now that it is open again. */
async function awaitsClip({ store }: Pipeline): Promise<boolean> {
  const due = await store`
    select from deal_candidates d
    join clips own on own.id = d.clip_id
    join clips c on c.member_id = own.member_id and c.deal_id = own.deal_id and c.redeemed_at is null
    limit 1`;
  return due.length > 0;
}

function examine(run: RewardRun, rows: RewardRows, since: ReadonlyMap<string, number>): string[] {
  return run.records.flatMap(({ uuid, kind, about }) => {
    const observed = rows.observed.get(uuid) ?? [];
    const history = run.diary.historyOf(about);
    const first = since.get(uuid) ?? 0;
    // Before it existed it was at rest too.
    const model = kind === "card" ? STAMP_CARD : SAVED_DEAL;
    const before = Array.from({ length: first }, (): Observed => {
      return { kind: "rest", rows: kind === "card" ? "counter 0" : "open" };
    });
    const fault = explain(model as typeof STAMP_CARD, history, [...before, ...observed]);
    if (fault === undefined) return [];
    const sent = JSON.stringify({ ...history, purchases: Object.fromEntries(history.purchases) });
    return [`run ${run.number}, ${kind} ${uuid}\n${fault}\n${JSON.stringify(run.script)}\n${sent}`];
  });
}

function count(observed: readonly Observed[], seen: Seen): void {
  for (const one of observed) {
    const name = one.kind === "event" ? (one.line.split(" ")[0] as string) : "";
    const told = one.kind === "rest" && one.rows.startsWith("redeemed") ? "clip redeemed" : name;
    if (told !== "") seen.set(told, (seen.get(told) ?? 0) + 1);
  }
}

/** Kills one of the processes after this many commands, and starts another instead. */
class Killer {
  readonly #pipeline: Pipeline;
  readonly #processes: ServiceProcess[];
  readonly #random: SeededRandom;
  #left = 0;
  #done: Promise<void> = Promise.resolve();

  constructor(pipeline: Pipeline, processes: ServiceProcess[], random: SeededRandom) {
    this.#pipeline = pipeline;
    this.#processes = processes;
    this.#random = random;
  }

  arm(commands: number): void {
    this.#left = commands;
  }

  performed(): void {
    this.#left -= 1;
    if (this.#left !== 0) return;
    this.#done = this.#replace();
    // `done` reports its error when the phase is over.
    this.#done.catch(() => {});
  }

  /** Rejects if no other process could be started. */
  done(): Promise<void> {
    return this.#done;
  }

  async #replace(): Promise<void> {
    const at = this.#random.between(0, this.#processes.length - 1);
    await (this.#processes[at] as ServiceProcess).kill();
    const { faults } = await verifyRewards(this.#pipeline.store);
    if (faults.length > 0) throw new Error(`killed, and what is stored does not agree: ${faults.join("; ")}`);
    this.#processes[at] = await this.#pipeline.start("rewards");
  }
}

async function checkTheRest(
  t: Test,
  pipeline: Pipeline,
  processes: readonly ServiceProcess[],
): Promise<void> {
  const { checked, faults } = await verifyRewards(pipeline.store);
  t.comment(checked);
  t.strictSame(faults.slice(0, 10), [], "verifyRewards finds nothing");
  t.strictSame((await readStream(pipeline, "DEAD")).slice(0, 10), [], "no message became a dead letter");
  t.strictSame(endedProcesses(processes), [], "no process ended by itself");
}
