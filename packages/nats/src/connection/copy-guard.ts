import { OWNERS_SUBJECTS } from "#contract";
import type { Stream } from "./connect.ts";
import { askAll, onQuestion } from "./core-messages.ts";

/**
 * How long a process waits for answers: one message there and back, also between sites, and to a busy
 * process. Only a starting service waits for it.
 */
const ANSWER_MS = 250;
/** How often a process asks again if it begins together with one of another database, and goes first. */
const TURNS = 4;

/** A process's report about itself. */
interface Claim {
  readonly database: string;
  /** Whether it owns partitions or is taking some over; otherwise it only asks whether it may. */
  readonly isIn: boolean;
}

/**
 * Keeps a copy of a database, such as one restored for a drill, away from the streams of the living one.
 * Otherwise the copy's processes would take all partitions, because their locks are in their own database;
 * they would answer production's callers, drop production's unfinished messages, and publish an older
 * configuration.
 *
 * Before it takes a partition over, a process without partitions asks which others own some or are about to.
 * An answer from another server or database keeps it out, and the next round asks again. After a restore or
 * restart of a server, no process owns partitions in the old one once its session has ended: then no process
 * answers, and the first one is let in.
 *
 * Of two that begin at the same moment, at most one is let in: each reports its presence from before its
 * question until it is let in, and as long as it owns anything. So the process that asked second has the
 * other's answer. The one whose database has the lower name asks again, and the other one waits for the next
 * round.
 *
 * Crashes considered: a process that was killed does not answer, nor does one that is frozen or too busy to
 * answer in time. If its database lives, too, both sides then work in their own database, until one of the
 * two processes loses its session and is kept out.
 */
export class CopyGuard {
  readonly #stream: Stream;
  readonly #subject: string;
  readonly #readDatabase: () => Promise<string>;
  readonly #owned: () => number;
  /** The database that this process asks for, or for which it was let in. */
  #database = "";
  #isClaiming = false;
  /** Whether the process was let in: true as long as partitions are owned or being taken over. */
  #isLetIn = false;
  /** The number of partitions being taken over. */
  #taking = 0;
  #asking: Promise<void> | undefined;

  /**
   * @param options.readDatabase names the database and the start of its server
   * @param options.owned the number of partitions whose locks this process has, including those that it takes
   * over again: otherwise a copy would be let in during that moment
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
   * @throws if processes of another database own partitions of these streams, or if `takeOver` throws
   */
  async whileAlone(takeOver: () => Promise<void>): Promise<void> {
    // While this process owned nothing, another one may have been let in.
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

  /** @throws if processes of another database own partitions of these streams */
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
        // The answers include at least its own claim: otherwise no process has heard the question.
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
 * The claims of other databases. If a process of this database is in, it keeps out processes that only ask: a
 * copy that asks every second must not keep out another process of the living database.
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
    // A process of a checkout from before 2026-11-27 sends only its database, and only while it owns
    // partitions.
    return typeof claim === "string" ? { database: claim, isIn: true } : claim;
  });
}

/**
 * The databases whose processes own partitions of these streams, without those that only ask: the owners keep
 * them out.
 */
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
