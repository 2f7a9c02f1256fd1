import { OWNERS_SUBJECTS } from "#contract";
import type { Stream } from "./connect.ts";
import { askAll, onQuestion } from "./core-messages.ts";

/** How long answers are waited for: one message there and back, also between sites. */
const ANSWER_MS = 100;

/**
 * Keeps a copy of a database, such as one that is restored for a drill, away from the streams of the living one. Its processes
 * would take all partitions, since their locks are in its own database, answer production's callers, drop what
 * production has not done, and tell an older configuration.
 *
 * Before a process takes its first partition over in a database server, it asks who owns partitions of these streams. An
 * answer from another server or database keeps it out, and the next round asks again. When a server was restored or started anew, no
 * process owns anything in the old one, as soon as its session has ended: then nobody answers, and the first one is let in.
 *
 * Crashes and races thought of: a process that was killed does not answer, and one that is frozen neither; what it commits later is
 * refused by its own database or lost with it. Two that begin at the same moment on two databases are both let in: each
 * applies all messages to its own, and whoever loses its session first is kept out from then on.
 */
export class CopyGuard {
  readonly #stream: Stream;
  readonly #subject: string;
  readonly #readDatabase: () => Promise<string>;
  /** The database that this process was let into. */
  #database: string | undefined;
  #asking: Promise<void> | undefined;

  /**
   * @param options.readDatabase names the database and the start of its server
   * @param options.owned how many partitions this process owns
   */
  constructor(options: {
    readonly stream: Stream;
    readonly service: keyof typeof OWNERS_SUBJECTS;
    readonly readDatabase: () => Promise<string>;
    readonly owned: () => number;
  }) {
    this.#stream = options.stream;
    this.#subject = OWNERS_SUBJECTS[options.service];
    this.#readDatabase = options.readDatabase;
    // Ends with the connection.
    onQuestion(this.#stream, this.#subject, () =>
      options.owned() > 0 ? JSON.stringify(this.#database) : undefined,
    );
  }

  /** @throws when processes of another database own partitions of these streams */
  async assertAlone(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #ask(): Promise<void> {
    const database = await this.#readDatabase();
    if (database === this.#database) return;
    const others = await askAll(this.#stream, this.#subject, ANSWER_MS);
    const other = others.map((one) => JSON.parse(one)).find((one) => one !== database);
    if (other !== undefined) {
      throw new Error(
        `processes of another database own partitions of these streams (${other}; this one is ${database}): ` +
          "if this is a copy, give it a NATS of its own; if it takes the other one's place, stop those first",
      );
    }
    this.#database = database;
  }
}
