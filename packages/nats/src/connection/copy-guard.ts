import { OWNERS_SUBJECTS } from "#contract";
import type { Stream } from "./connect.ts";
import { askAll, onQuestion } from "./core-messages.ts";

/**
 * How long answers are waited for: one message there and back, also between sites, and to a process that is busy. Only where
 * a service begins does anybody wait for it.
 */
const ANSWER_MS = 250;
/** How often a process asks again that begins together with one of another database, and goes first. */
const TURNS = 4;

/** What a process says of itself. */
interface Claim {
  readonly database: string;
  /** It owns partitions, or is taking some over. Else it asks whether it may. */
  readonly isIn: boolean;
}

/**
 * Keeps a copy of a database, such as one that is restored for a drill, away from the streams of the living one. Its processes
 * would take all partitions, since their locks are in its own database, answer production's callers, drop what
 * production has not done, and tell an older configuration.
 *
 * A process that owns no partition asks, before it takes one over, who else does or is about to. An answer
 * from another server or database keeps it out, and the next round asks again. When a server was restored or
 * restarted, no process owns anything in the old one, as soon as its session has ended: then no process
 * answers, and the first one is let in.
 *
 * Of two that begin at the same moment, at most one is let in: each says from before its question until it is let in, and as
 * long as it owns anything, that it is there. So whichever question was asked second has the other's answer. The one
 * whose database has the lower name asks again, and the other one waits for the next round.
 *
 * Crashes thought of: a process that was killed does not answer, and one that is frozen, or too busy to answer in time, neither;
 * if its database lives, too, both apply to their own from then on, until one of the two loses its session and is kept out.
 */
export class CopyGuard {
  readonly #stream: Stream;
  readonly #subject: string;
  readonly #readDatabase: () => Promise<string>;
  readonly #owned: () => number;
  /** The database that this process asks for, or was let into. */
  #database = "";
  #isClaiming = false;
  /** Holds as long as partitions are owned or being taken over. */
  #isLetIn = false;
  /** Partitions that are being taken over. */
  #taking = 0;
  #asking: Promise<void> | undefined;

  /**
   * @param options.readDatabase names the database and the start of its server
   * @param options.owned of how many partitions this process has the locks, also while it takes them over again: else a copy would be
   * let in during that moment
   */
  constructor(options: {
    readonly stream: Stream;
    readonly side: keyof typeof OWNERS_SUBJECTS;
    readonly readDatabase: () => Promise<string>;
    readonly owned: () => number;
  }) {
    this.#stream = options.stream;
    this.#subject = OWNERS_SUBJECTS[options.side];
    this.#readDatabase = options.readDatabase;
    this.#owned = options.owned;
    // Ends with the connection.
    onQuestion(this.#stream, this.#subject, () => {
      const claim: Claim = { database: this.#database, isIn: this.#isIn };
      return this.#isIn || this.#isClaiming ? JSON.stringify(claim) : undefined;
    });
  }

  get #isIn(): boolean {
    return this.#isLetIn && this.#taking + this.#owned() > 0;
  }

  /**
   * Takes a partition over.
   * @throws when processes of another database own partitions of these streams, and what `takeOver` throws
   */
  async whileAlone(takeOver: () => Promise<void>): Promise<void> {
    // While it had nothing, another one may have been let in.
    if (!this.#isIn) this.#isLetIn = false;
    this.#taking++;
    try {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
      await takeOver();
    } finally {
      this.#taking--;
    }
  }

  /** @throws when processes of another database own partitions of these streams */
  async assertAlone(): Promise<void> {
    const database = await this.#readDatabase();
    if (this.#isIn && database === this.#database) return;
    const [other] = rivalsOf(database, await this.#answers());
    if (other !== undefined) throw keptOut(database, other);
  }

  async #ask(): Promise<void> {
    const database = await this.#readDatabase();
    if (this.#isLetIn && database === this.#database) return;
    this.#isLetIn = false;
    this.#database = database;
    this.#isClaiming = true;
    try {
      for (let turn = 1; ; turn++) {
        const answers = await this.#answers();
        // At least its own claim: otherwise no process has heard the question.
        if (answers.length === 0) throw new Error("NATS did not bring the question of who else reads");
        const rivals = rivalsOf(database, answers);
        const [other] = rivals;
        if (other === undefined) {
          this.#isLetIn = true;
          return;
        }
        const isFirst = rivals.every((one) => !one.isIn && database < one.database);
        if (!isFirst || turn === TURNS) throw keptOut(database, other);
      }
    } finally {
      this.#isClaiming = false;
    }
  }

  #answers(): Promise<Claim[]> {
    return ask(this.#stream, this.#subject);
  }
}

/**
 * The claims of other databases. Where a process of this database is in, it keeps out a process that only asks: a copy that asks every second must not
 * keep out another process of the living database.
 */
function rivalsOf(database: string, claims: readonly Claim[]): Claim[] {
  const others = claims.filter((one) => one.database !== database);
  const isOurs = claims.some((one) => one.database === database && one.isIn);
  return isOurs ? others.filter((one) => one.isIn) : others;
}

async function ask(stream: Stream, subject: string): Promise<Claim[]> {
  const answers = await askAll(stream, subject, ANSWER_MS);
  return answers.map((answer) => {
    const claim = JSON.parse(answer) as Claim | string;
    // A process of a checkout of before 2026-11-27 says its database alone, and only while it owns partitions.
    return typeof claim === "string" ? { database: claim, isIn: true } : claim;
  });
}

/** The databases whose processes own partitions of these streams. One that only asks whether it may is kept out by them. */
export async function askOwners(stream: Stream, side: keyof typeof OWNERS_SUBJECTS): Promise<string[]> {
  const claims = await ask(stream, OWNERS_SUBJECTS[side]);
  return [...new Set(claims.flatMap(({ database, isIn }) => (isIn ? database : [])))];
}

function keptOut(database: string, { database: other, isIn }: Claim): Error {
  const what = isIn ? "own partitions of these streams" : "are about to read these streams";
  return new Error(
    `processes of another database ${what} (${other}; this one is ${database}): ` +
      "if this is a copy, give it a NATS of its own; if it takes the other one's place, stop those first",
  );
}
