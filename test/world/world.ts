import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "#test-support";
import { Audit } from "./audit.ts";
import { Book } from "./book.ts";
import { Caller } from "./caller.ts";
import { Lane, Pace } from "./lane.ts";
import { joinMember, openMemberbase } from "./offers.ts";
import { historyOf, type Problem } from "./problem.ts";
import { openShopping, type Shopping } from "./shopping.ts";
import type { Site } from "./site.ts";
import { tally } from "./tally.ts";

export interface WorldOptions {
  /** Of the load: what is sent, not when. */
  readonly seed: number;
  /** How many requests are open at a time, at most. */
  readonly lanes?: number | undefined;
  /** Events a second, at most. */
  readonly rate?: number | undefined;
  /** Members without cards. */
  readonly members?: number | undefined;
  /** Events of one request, at most. */
  readonly eventsMax?: number | undefined;
  /** Whether faults can have made NATS forget messages that it has delivered. Times of `Date.now`. */
  readonly touchesNats?: ((from: number, until: number) => boolean) | undefined;
  /** One for each way to the services; lanes use them in turn. Default: one, to all processes. */
  readonly callers?: readonly Caller[] | undefined;
}

/** Many, since lanes that meet a frozen edge wait for it. */
const LANES = 30;
const RATE = 200;
const MEMBERS = 20;
const LOOK_MS = 1_000;
const FAULTS_SHOWN = 10;

/**
 * The users of an installation: integrators that send transactions, shoppers, tills, a receiver of webhooks and a
 * poller; and the audit, which knows from every answer what must be stored, told and shown.
 */
export class World {
  readonly site: Site;
  readonly caller: Caller;
  readonly book: Book;
  readonly shopping: Shopping | undefined;
  readonly audit: Audit;
  readonly #options: WorldOptions;
  readonly members: readonly string[];
  readonly #callers: readonly Caller[];
  #running: Promise<unknown> = Promise.resolve();
  #isOver = false;

  /** Resolves when everything is set up that the load needs. */
  static async open(site: Site, options: WorldOptions): Promise<World> {
    const callers = options.callers ?? [callerOf(site)];
    const caller = callers[0] as Caller;
    const shopping = site.platformToken === undefined ? undefined : await openShopping(caller, options.seed);
    const memberbase = shopping?.offers.memberbase ?? (await openMemberbase(caller));
    const members: string[] = [];
    for (let i = 0; i < (options.members ?? MEMBERS); i++) {
      members.push(await joinMember(caller, memberbase, `plain ${i}`));
    }
    return new World({ site, options, callers, shopping, members });
  }

  private constructor(parts: {
    site: Site;
    options: WorldOptions;
    callers: readonly Caller[];
    shopping: Shopping | undefined;
    members: readonly string[];
  }) {
    const { site, options, callers, shopping, members } = parts;
    this.site = site;
    this.caller = callers[0] as Caller;
    this.#callers = callers;
    this.shopping = shopping;
    this.#options = options;
    this.members = members;
    const known = new Set(members);
    const shoppers = shopping?.shoppers ?? [];
    this.book = new Book(
      (id) => known.has(id) || shoppers.some(({ memberId }) => memberId === id && known.add(id)),
      (id) => shoppers.some(({ memberId, isGone }) => isGone && memberId === id),
    );
    this.audit = new Audit({ site, caller: this.caller, book: this.book, shopping });
  }

  /** Answers by status, and attempts without any as `none`. */
  get statuses(): Readonly<Record<string, number>> {
    const all: Record<string, number> = {};
    for (const { statuses } of this.#callers) {
      for (const [status, count] of Object.entries(statuses)) all[status] = (all[status] ?? 0) + count;
    }
    return all;
  }

  /** The load begins. */
  begin(): void {
    const { seed, rate = RATE, lanes = LANES, eventsMax } = this.#options;
    const pace = new Pace(rate);
    const isOver = () => this.#isOver;
    const running: Promise<unknown>[] = Array.from({ length: lanes }, (_, number) =>
      new Lane({
        number,
        seed,
        pace,
        caller: this.#callers[number % this.#callers.length] as Caller,
        book: this.book,
        members: this.members,
        shopping: this.shopping,
        eventsMax,
        touchesNats: this.#options.touchesNats ?? (() => false),
        isOver,
      }).run(),
    );
    if (this.shopping !== undefined) {
      running.push(this.shopping.reviser.run(isOver), this.shopping.poller.run(isOver));
    }
    this.#running = Promise.all(running);
    // Until `end` asks for it, a lane's failure must not count as an unhandled rejection.
    this.#running.catch(() => {});
  }

  /** The load ends. Resolves when every request and every payment has its answer. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await this.shopping?.till.done();
  }

  /** Waits for this many more answers: work goes on. Rejects if a lane failed, or after the deadline. */
  async progress(answers: number, deadlineMs: number): Promise<void> {
    const target = this.book.answers + answers;
    const goesOn = waitFor(() => this.book.answers >= target, {
      deadlineMs,
      message: `no ${answers} answers`,
    });
    await Promise.race([goesOn, this.#running]).catch((error) => {
      throw new Error(`${error.message}; so far ${JSON.stringify(this.statuses)}`);
    });
  }

  /**
   * Waits until the audit finds nothing, or the time is over.
   * @param onLook gets the kinds of the problems that are left
   * @returns after how many seconds it found nothing
   */
  async arrives(
    seconds: number,
    onLook: (passed: number, left: Readonly<Record<string, number>>) => void = () => {},
    signal?: AbortSignal,
  ): Promise<number | undefined> {
    const since = Date.now();
    for (;;) {
      const problems = await this.audit.look();
      const passed = Math.round((Date.now() - since) / 1_000);
      onLook(
        passed,
        tally(problems, ({ kind }) => kind),
      );
      if (problems.length === 0) return passed;
      if (passed > seconds) return undefined;
      await delay(LOOK_MS, undefined, { signal });
    }
  }

  /** Everything that is not as the answers say. Call it once, when everything has arrived. */
  finish(): Promise<Problem[]> {
    return this.audit.finish();
  }

  /** The same, as text with the history of the transactions. */
  async faults(): Promise<string[]> {
    const at = (time: number) => new Date(time).toISOString();
    return (await this.finish()).slice(0, FAULTS_SHOWN).map((problem) => {
      return [`${problem.kind}: ${problem.text}`, ...historyOf(problem, this.book, at).lines].join("\n");
    });
  }

  /** Ends without waiting for answers. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers.map((caller) => caller.close()));
    await this.#running.catch(() => {});
    await this.shopping?.desk.close();
  }
}

function callerOf(site: Site): Caller {
  return new Caller(
    { publisher: () => site.urlsOf("edge"), platform: () => site.urlsOf("platform") },
    { publisher: site.publisher.token, platform: site.platformToken ?? "" },
  );
}
