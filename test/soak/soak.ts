import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Book, type Problem, type Shopping, tally, World } from "#test-world";
import { describeFault, explain } from "./explain.ts";
import { type FaultChoice, planFaults } from "./fault-plan.ts";
import { Injector } from "./injector.ts";
import { Installation } from "./installation.ts";
import { carryOutRestores, planRestores, type RoundTimes } from "./restorer.ts";

export interface SoakOptions {
  readonly seed: number;
  /** The time of load and faults; the audit takes additional time. */
  readonly seconds: number;
  readonly faults?: FaultChoice | undefined;
  /** How often databases are restored, and how; `seconds` is then ignored. */
  readonly restores?: (RoundTimes & { readonly count: number }) | undefined;
  /** Events a second, at most. */
  readonly rate?: number | undefined;
  /** How long everything may take to arrive after all faults are over. */
  readonly drainSeconds?: number | undefined;
  /** How much longer the audit looks: a forbidden event may still come. */
  readonly settleSeconds?: number | undefined;
  readonly keep?: boolean | undefined;
  /**
   * Called after an audit without findings: a test of the audit does damage here, and everything is audited
   * again.
   */
  readonly spoil?: ((installation: Installation, book: Book) => Promise<void>) | undefined;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface SoakSummary extends ReturnType<typeof countsOf>, ReturnType<typeof faultsOf> {
  readonly seed: number;
  readonly seconds: number;
  readonly problems: number;
  readonly problemsByKind: Record<string, number>;
  readonly told: Record<string, number>;
  readonly drainedAfterSeconds: number | undefined;
  /** The folder of logs and problems, if they are kept. */
  readonly folder: string | undefined;
}

const DRAIN_SECONDS = 150;
const SETTLE_SECONDS = 40;
const TELL_MS = 30_000;

export interface SoakResult {
  readonly summary: SoakSummary;
  /** The problems, each with its history. */
  readonly explained: readonly string[];
  /** The problems that the audit found after `spoil`. */
  readonly spoiled: readonly Problem[];
}

/** Runs one soak. Rejects if the soak itself could not be run; faults of the services are in the summary. */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const { seed, seconds, say, signal } = options;
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `stampede-soak-${seed}-`));
  const logs = join(folder, "logs");
  mkdirSync(logs);
  const what = options.restores ? `${options.restores.count} restores` : `${seconds} s`;
  say(`seed ${seed}, ${what}; output in ${folder}`);
  const startedAt = Date.now();
  const installation = await Installation.start(logs, options.restores !== undefined);
  say(`all services are ready, after ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  const injector = new Injector(installation);
  const touchesNats = (from: number, until: number) => injector.touchesNats(from, until);
  let isClean = false;
  let world: World | undefined;
  const onAbort = () => world?.caller.abandon();
  signal.addEventListener("abort", onAbort);
  try {
    world = await World.open(installation, { seed, rate: options.rate, touchesNats });
    const beganAt = Date.now();
    await load(options, { installation, injector, world, beganAt });
    const overAt = Date.now();
    const unready = await installation.whenReady(60_000).then(
      () => [],
      (error: Error): Problem[] => [{ kind: "ready", text: error.message, refs: [] }],
    );
    const drainedAfterSeconds = await drain(world, options);
    await delay((options.settleSeconds ?? SETTLE_SECONDS) * 1_000, undefined, { signal });
    const problems = [...unready, ...(await world.finish())];
    isClean = problems.length === 0;
    const summary: SoakSummary = {
      seed,
      seconds: Math.round((overAt - beganAt) / 1_000),
      problems: problems.length,
      problemsByKind: tally(problems, ({ kind }) => kind),
      ...countsOf(world),
      told: tally(await world.audit.events(), ({ type }) => type),
      ...faultsOf(injector, installation),
      drainedAfterSeconds,
      folder: isClean && !options.keep ? undefined : folder,
    };
    let spoiled: Problem[] = [];
    if (isClean && options.spoil !== undefined) {
      await options.spoil(installation, world.book);
      spoiled = await world.finish();
    }
    const { book } = world;
    const explained = problems.map((problem) => explain(problem, book, injector, beganAt));
    const at = (time: number) => `+${((time - beganAt) / 1000).toFixed(3)}`;
    const lists = {
      "faults.txt": [
        `began ${new Date(beganAt).toISOString()}`,
        ...injector.faults.map((f) => describeFault(f, at)),
      ],
      "told-otherwise.txt": shoppingOf(world).desk.otherwise,
      "problems.txt": explained,
      "summary.json": [JSON.stringify(summary, null, 2)],
    };
    for (const [name, lines] of Object.entries(lists))
      writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
    return { summary, explained, spoiled };
  } finally {
    signal.removeEventListener("abort", onAbort);
    injector.thaw();
    await world?.close();
    await installation.stop();
    if ((isClean || signal.aborted) && !options.keep) rmSync(folder, { recursive: true, force: true });
  }
}

interface Running {
  readonly installation: Installation;
  readonly injector: Injector;
  readonly world: World;
  /** By `Date.now`. */
  readonly beganAt: number;
}

/** Load and faults. Resolves when all faults are over and every request and payment has its answer. */
async function load(options: SoakOptions, running: Running): Promise<void> {
  const { seed, faults, restores, say, signal } = options;
  const { installation, injector, world, beganAt } = running;
  const endsAt = beganAt + (restores === undefined ? options.seconds * 1_000 : 0);
  const telling = setInterval(() => {
    const passed = Math.round((Date.now() - beganAt) / 1_000);
    const { requests } = world.book;
    say(
      `${passed} s: ${requests.length} requests, ${injector.faults.length} faults, ${line(world.statuses)}`,
    );
  }, TELL_MS);
  try {
    world.begin();
    if (restores === undefined) {
      await injector.carryOut(planFaults(seed, options.seconds * 1_000, faults), beganAt, endsAt, signal);
    } else {
      const { gate, till, desk } = shoppingOf(world);
      const parts = { installation, injector, gate, till, desk, faults, times: restores, say, signal };
      await carryOutRestores(planRestores(seed, restores.count), parts);
    }
    await delay(endsAt - Date.now(), undefined, { signal }).catch(() => {});
    // However long that takes after the faults: there is no answer that may be missing.
    const message = "requests or payments are not answered although all faults are over";
    await within(world.end(), DRAIN_SECONDS * 1_000, message);
  } finally {
    clearInterval(telling);
  }
  if (signal.aborted) throw new Error("interrupted");
  say(`${world.book.requests.length} requests are answered; all faults are over`);
}

/** @returns after how many seconds everything had arrived */
function drain(world: World, options: SoakOptions): Promise<number | undefined> {
  const { drainSeconds = DRAIN_SECONDS, say, signal } = options;
  const onLook = (passed: number, left: Readonly<Record<string, number>>) => {
    const isDone = Object.keys(left).length === 0;
    const state = isDone ? "everything has arrived" : `${line(left)} are not right yet`;
    say(`${passed} s after the last fault: ${state}`);
  };
  return world.arrives(drainSeconds, onLook, signal);
}

/** A soak always has shoppers. */
function shoppingOf({ shopping }: World): Shopping {
  if (shopping === undefined) throw new Error("this world has no shoppers");
  return shopping;
}

function countsOf(world: World) {
  const { book, statuses } = world;
  const { till, reviser, desk, shoppers } = shoppingOf(world);
  return {
    events: book.requests.reduce((all, { events }) => all + events.length, 0),
    requests: book.requests.length,
    transactions: [...book.entries.values()].filter(({ expected }) => expected !== undefined).length,
    answers: statuses,
    detailed: book.detailed,
    batches: book.batches.length,
    payments: till.told,
    shoppers: shoppers.length,
    deleted: shoppers.filter(({ isGone }) => isGone).length,
    savedAgain: shoppers.reduce((all, { clips }) => all + clips.flat().length - clips.length, 0),
    revisions: reviser.count,
    webhooks: desk.counts,
    toldOtherwise: desk.otherwise.length,
  };
}

function faultsOf(injector: Injector, { slots }: Installation) {
  const { counts, faults, skipped } = injector;
  const sum = (part: string) =>
    Object.entries(counts).reduce((all, [kind, n]) => all + (kind.startsWith(part) ? n : 0), 0);
  return {
    faults: counts,
    faultsInAll: faults.length,
    kills: sum("kill"),
    freezes: sum("freeze"),
    faultsSkipped: skipped,
    restores: sum("restore"),
    unaskedEnds: tally(
      slots.flatMap(({ unasked }) => unasked),
      ({ name, lastLine }) => `${name}: ${lastWords(lastLine)}`,
    ),
  };
}

async function within<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
  const late = new AbortController();
  const timeout = delay(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(message);
  });
  timeout.catch(() => {});
  return Promise.race([work, timeout]).finally(() => late.abort());
}

function line(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** The message of a log line; of any other line, its beginning. */
function lastWords(text: string): string {
  try {
    const { msg, err } = JSON.parse(text) as { msg?: string; err?: { message?: string } };
    return `${msg} ${err?.message ?? ""}`.slice(0, 160);
  } catch {
    return text.slice(0, 160);
  }
}
