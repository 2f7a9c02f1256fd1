import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Audit } from "./audit.ts";
import { Book } from "./book.ts";
import { Caller } from "./caller.ts";
import { type FaultChoice, planFaults } from "./fault-plan.ts";
import { Gate } from "./gate.ts";
import { Injector } from "./injector.ts";
import { Installation } from "./installation.ts";
import { Lane, Pace } from "./lane.ts";
import { Poller } from "./poller.ts";
import { describeFault, explain, type Problem } from "./problem.ts";
import type { Purchase } from "./purchase.ts";
import { carryOutRestores, planRestores, type RoundTimes } from "./restorer.ts";
import { Reviser } from "./reviser.ts";
import { Till } from "./till.ts";
import { WebhookDesk } from "./webhook-desk.ts";
import { joinMember, openWorld, type Shopper } from "./world.ts";

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

export interface SoakSummary {
  readonly seed: number;
  readonly seconds: number;
  readonly problems: number;
  readonly problemsByKind: Record<string, number>;
  readonly events: number;
  readonly requests: number;
  readonly transactions: number;
  readonly answers: Record<string, number>;
  readonly batches: number;
  readonly payments: number;
  readonly shoppers: number;
  readonly deleted: number;
  /** How many deals were saved again. */
  readonly savedAgain: number;
  readonly revisions: number;
  readonly told: Record<string, number>;
  readonly webhooks: Record<string, number>;
  readonly faults: Record<string, number>;
  readonly faultsInAll: number;
  readonly kills: number;
  readonly freezes: number;
  readonly faultsSkipped: number;
  readonly restores: number;
  /** Events that a restore has changed or taken back (decision 53). */
  readonly toldOtherwise: number;
  readonly unaskedEnds: Record<string, number>;
  readonly drainedAfterSeconds: number | undefined;
  /** The folder of logs and problems, if they are kept. */
  readonly folder: string | undefined;
}

/** Many, since lanes that meet a frozen edge wait for it. */
const LANES = 30;
const RATE = 200;
const PLAIN_MEMBERS = 20;
const DRAIN_SECONDS = 150;
const SETTLE_SECONDS = 40;
const LOOK_MS = 3_000;
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
  say(
    `seed ${seed}, ${options.restores ? `${options.restores.count} restores` : `${seconds} s`}; output in ${folder}`,
  );
  let isClean = false;
  const startedAt = Date.now();
  const installation = await Installation.start(logs, options.restores !== undefined);
  say(`all services are ready, after ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  const urls = {
    publisher: () => installation.urlsOf("edge"),
    platform: () => installation.urlsOf("platform"),
  };
  const caller = new Caller(urls, {
    publisher: installation.publisher.token,
    platform: installation.platformToken,
  });
  const injector = new Injector(installation);
  const onAbort = () => caller.abandon();
  signal.addEventListener("abort", onAbort);
  let desk: WebhookDesk | undefined;
  try {
    desk = await WebhookDesk.open(caller, seed);
    const world = await openWorld(caller);
    const members: string[] = [];
    for (let i = 0; i < PLAIN_MEMBERS; i++) members.push(await joinMember(caller, world, `plain ${i}`));
    const shoppers: Shopper[] = [];
    const known = new Set(members);
    const book = new Book(
      (id) => known.has(id) || shoppers.some(({ memberId }) => memberId === id && known.add(id)),
      (id) => shoppers.some(({ memberId, isGone }) => isGone && memberId === id),
    );
    const gate = new Gate();
    const reviser = new Reviser(caller, world, gate);
    const poller = new Poller(caller);
    const till = new Till(caller, world);
    const purchases: Purchase[] = [];
    const beganAt = Date.now();
    const endsAt = options.restores === undefined ? beganAt + seconds * 1_000 : beganAt;
    let areRestored = options.restores === undefined;
    const isOver = () => (areRestored && Date.now() >= endsAt) || signal.aborted;
    const pace = new Pace(options.rate ?? RATE);
    const lanes = Array.from({ length: LANES }, (_, number) => {
      return new Lane({
        number,
        seed,
        pace,
        world,
        caller,
        gate,
        till,
        book,
        members,
        shoppers,
        purchases,
        touchesNats: (from, until) => injector.touchesNats(from, until),
        isOver,
      }).run();
    });
    const revising = reviser.run(isOver);
    const polling = poller.run(isOver);
    const { faults, restores } = options;
    const striking =
      restores === undefined
        ? injector.carryOut(planFaults(seed, seconds * 1_000, faults), beganAt, endsAt, signal)
        : carryOutRestores(planRestores(seed, restores.count), {
            installation,
            injector,
            gate,
            till,
            desk,
            faults,
            times: restores,
            say,
            signal,
          }).finally(() => {
            areRestored = true;
          });
    const telling = setInterval(() => {
      const passed = Math.round((Date.now() - beganAt) / 1_000);
      say(
        `${passed} s: ${book.requests.length} requests, ${injector.faults.length} faults, ${line(caller.statuses)}`,
      );
    }, TELL_MS);
    try {
      // Waits until every request and payment has its answer, however long that takes after the faults.
      await striking;
      const all = Promise.all([...lanes, revising, polling]).then(() => till.done());
      await within(
        all,
        DRAIN_SECONDS * 1_000,
        "requests or payments are not answered although all faults are over",
      );
    } finally {
      clearInterval(telling);
    }
    if (signal.aborted) throw new Error("interrupted");
    say(`${book.requests.length} requests are answered; all faults are over`);
    const audit = new Audit({ installation, caller, book, reviser, till, desk, poller, shoppers, purchases });
    const overAt = Date.now();
    const unready = await installation.whenReady(60_000).then(
      () => [],
      (error: Error): Problem[] => [{ kind: "ready", text: error.message, refs: [] }],
    );
    const drainedAfterSeconds = await drain(audit, options, overAt);
    await delay((options.settleSeconds ?? SETTLE_SECONDS) * 1_000, undefined, { signal });
    const problems = [...unready, ...(await audit.finish())];
    const explained = problems.map((problem) => explain(problem, book, injector, beganAt));
    isClean = problems.length === 0;
    const told = tally(await audit.events(), ({ type }) => type);
    let spoiled: Problem[] = [];
    if (isClean && options.spoil !== undefined) {
      await options.spoil(installation, book);
      spoiled = await audit.finish();
    }
    const at = (time: number) => `+${((time - beganAt) / 1000).toFixed(3)}`;
    const inflicted = injector.faults.map((fault) => describeFault(fault, at));
    writeFileSync(
      join(folder, "faults.txt"),
      `began ${new Date(beganAt).toISOString()}\n${inflicted.join("\n")}\n`,
    );
    writeFileSync(join(folder, "told-otherwise.txt"), `${desk.otherwise.join("\n")}\n`);
    writeFileSync(join(folder, "problems.txt"), `${explained.join("\n\n")}\n`);
    const counts = injector.counts;
    const sum = (part: string) => {
      return Object.entries(counts).reduce((all, [kind, n]) => all + (kind.startsWith(part) ? n : 0), 0);
    };
    const summary: SoakSummary = {
      seed,
      seconds: restores === undefined ? seconds : Math.round((overAt - beganAt) / 1_000),
      problems: problems.length,
      problemsByKind: tally(problems, ({ kind }) => kind),
      events: book.requests.reduce((all, { events }) => all + events.length, 0),
      requests: book.requests.length,
      transactions: [...book.entries.values()].filter(({ expected }) => expected !== undefined).length,
      answers: caller.statuses,
      batches: book.batches.length,
      payments: till.told,
      shoppers: shoppers.length,
      deleted: shoppers.filter(({ isGone }) => isGone).length,
      savedAgain: shoppers.reduce((all, { clips }) => all + clips.flat().length - clips.length, 0),
      revisions: reviser.count,
      told,
      webhooks: desk.counts,
      faults: counts,
      faultsInAll: injector.faults.length,
      kills: sum("kill"),
      freezes: sum("freeze"),
      faultsSkipped: injector.skipped,
      restores: sum("restore"),
      toldOtherwise: desk.otherwise.length,
      unaskedEnds: tally(
        installation.slots.flatMap(({ unasked }) => unasked),
        ({ name, lastLine }) => `${name}: ${lastWords(lastLine)}`,
      ),
      drainedAfterSeconds,
      folder: isClean && !options.keep ? undefined : folder,
    };
    writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 2)}\n`);
    return { summary, explained, spoiled };
  } finally {
    signal.removeEventListener("abort", onAbort);
    injector.thaw();
    await caller.close();
    await installation.stop();
    await desk?.close();
    if ((isClean || signal.aborted) && !options.keep) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Waits until the audit finds nothing, or the time is over. @returns after how many seconds it found nothing
 */
async function drain(
  audit: Audit,
  { drainSeconds = DRAIN_SECONDS, say, signal }: SoakOptions,
  since: number,
): Promise<number | undefined> {
  const deadline = Date.now() + drainSeconds * 1_000;
  for (;;) {
    const problems = await audit.look();
    const seconds = Math.round((Date.now() - since) / 1_000);
    if (problems.length === 0) {
      say(`everything has arrived, ${seconds} s after the last fault`);
      return seconds;
    }
    say(`${seconds} s after the last fault: ${line(tally(problems, ({ kind }) => kind))} are not right yet`);
    if (Date.now() > deadline) return undefined;
    await delay(LOOK_MS, undefined, { signal });
  }
}

async function within<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
  const late = new AbortController();
  const timeout = delay(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(message);
  });
  timeout.catch(() => {});
  return Promise.race([work, timeout]).finally(() => late.abort());
}

function tally<T>(list: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of list) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
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
