import { OWNERS_SUBJECT } from "#contract";
import { askAll, onQuestion, type Stream } from "#nats";
import type { Store } from "#postgres";

/** How long answers are waited for: one message there and back, also between sites. */
const ANSWER_MS = 100;

/**
 * Keeps a copy of the database, such as one that is restored for a drill, away from the streams of the living one. Its ingest
 * would take all partitions, since their locks are in its own database, and answer production's callers.
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
  readonly #store: Store;
  readonly #stream: Stream;
  /** The database that this process was let into. */
  #database: string | undefined;
  #asking: Promise<void> | undefined;

  constructor({ store, stream, owned }: { store: Store; stream: Stream; owned: () => number }) {
    this.#store = store;
    this.#stream = stream;
    // Ends with the connection.
    onQuestion(stream, OWNERS_SUBJECT, () => (owned() > 0 ? this.#database : undefined));
  }

  /** @throws when processes of another database own partitions of these streams */
  async assertAlone(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #ask(): Promise<void> {
    const [{ database }] = await this.#store<[{ database: string }]>`
      select current_database() || ' at ' || coalesce(host(inet_server_addr()), 'local') || ':'
             || coalesce(inet_server_port(), 0) || ', started ' || pg_postmaster_start_time()::text as database`;
    if (database === this.#database) return;
    const others = await askAll(this.#stream, OWNERS_SUBJECT, ANSWER_MS);
    const other = others.find((one) => one !== database);
    if (other !== undefined) {
      throw new Error(
        `ingest processes of another database own partitions of these streams (${other}; this one is ${database}): ` +
          "if this is a copy, give it a NATS of its own; if it takes the other one's place, stop those first",
      );
    }
    this.#database = database;
  }
}
