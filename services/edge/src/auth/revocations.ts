import { REVOKED_SUBJECT } from "#contract";
import { broadcast, onBroadcast, type Stream } from "#nats";
import { ADVISORY_LOCKS, type Sql, type Store } from "#postgres";
import { Gathering, type Log, startSampler } from "#runtime";

const CONFIRM_MS = 1_000;
/** The contract (section 3) allows 5 s to an edge that is cut off. One second less leaves time for the request itself. */
const TRUST_MS = 4_000;
const ANNOUNCE_TIMEOUT_MS = 5_000;
/** With one, a revocation would wait for another's time-out while an edge is cut off. */
const ANNOUNCEMENTS_UNDER_WAY = 4;

/**
 * Makes a revocation hold for the very next request on every edge process. The revoking process tells all
 * processes that keep tokens in memory, and answers only when each has said that it forgot them.
 *
 * Each such process holds a lock in a session of Postgres, and the revoker counts these locks, so that it
 * never waits for a process that died. A process trusts its memory only while it has heard from NATS within
 * the last four seconds; one that is cut off, or whose NATS node is cut off from the others, asks the
 * database for every token before the revoker stops waiting for it. A process that has lost only Postgres
 * still gets the message. The revoker does not wait for it, and it keeps working: events are queued while the
 * database is away. Revocations missed while the connection to NATS is down do no harm: memory is emptied
 * when the connection comes back.
 */
export class Revocations {
  readonly #stream: Stream;
  readonly #memberStore: Store;
  readonly #forget: () => void;
  readonly #log: Log;
  /**
   * Revocations that come while others are announced share the next announcement. Otherwise a caller that repeats one without
   * pause would empty the memory of every edge as often, and others' revocations would wait in line for the one connection.
   */
  readonly #announcements = new Gathering<undefined, undefined>({
    work: async (all) => {
      await this.#tell();
      return all.map(() => undefined);
    },
    calls: ANNOUNCEMENTS_UNDER_WAY,
  });
  #heardAt = Number.NEGATIVE_INFINITY;
  #end: (() => void)[] = [];

  /** @param options.memberStore a store of one connection that nothing else uses, whose statements have a time-out */
  constructor(options: { stream: Stream; memberStore: Store; forget: () => void; log: Log }) {
    this.#stream = options.stream;
    this.#memberStore = options.memberStore;
    this.#forget = options.forget;
    this.#log = options.log;
  }

  async start(): Promise<void> {
    this.#end.push(onBroadcast(this.#stream, REVOKED_SUBJECT, this.#forget));
    this.#end.push(this.#stream.onConnection(this.#forget));
    const every = { intervalMs: CONFIRM_MS, log: this.#log };
    const join = () => joinEdges(this.#memberStore);
    this.#end.push(await startSampler({ ...every, name: "edge membership", sample: join }));
    // Checked separately from the database: a database that hangs must not end the trust.
    this.#end.push(await startSampler({ ...every, name: "stream contact", sample: () => this.#listen() }));
  }

  /**
   * Whether every revocation either reaches this process or waits until this process no longer trusts its
   * memory.
   */
  mayTrust(): boolean {
    return performance.now() - this.#heardAt < TRUST_MS;
  }

  /**
   * Resolves once no edge process accepts a token that was revoked before the call. The revocation is committed, so all processes
   * are told of it even if they cannot be counted; then it waits as for one that is cut off.
   */
  announce(): Promise<void> {
    return this.#announcements.add(undefined);
  }

  async #tell(): Promise<void> {
    this.#forget();
    const expected = await countEdges(this.#memberStore).catch((err) => {
      this.#log.warn({ err }, "the edge processes cannot be counted");
      return Number.POSITIVE_INFINITY;
    });
    const within = { expected, timeoutMs: ANNOUNCE_TIMEOUT_MS };
    const { handled } = await broadcast(this.#stream, REVOKED_SUBJECT, within);
    if (handled < expected && Number.isFinite(expected))
      this.#log.warn(
        { expected, handled },
        "an edge process is cut off; it trusts no token in memory by now",
      );
  }

  stop(): void {
    for (const end of this.#end) end();
    this.#end = [];
    this.#heardAt = Number.NEGATIVE_INFINITY;
  }

  async #listen(): Promise<void> {
    // Taken before the ping: the answer proves nothing about the time after it was sent.
    const asked = performance.now();
    await this.#stream.contact();
    this.#heardAt = asked;
  }
}

const { edgeMember: MEMBER } = ADVISORY_LOCKS;

/**
 * Registers this process as one that keeps tokens in memory, for as long as its session lasts. Called
 * periodically: after a lost session the new one registers again, and the call fails while there is none.
 * @param store of exactly one connection, whose session holds the lock
 */
async function joinEdges(store: Store): Promise<void> {
  await store`
    select pg_advisory_lock(${MEMBER}::int, pg_backend_pid())
    where not exists (
      select 1 from pg_locks
      where locktype = 'advisory' and classid::bigint = ${MEMBER} and objsubid = 2 and pid = pg_backend_pid()
    )`;
}

/**
 * The number of processes that keep tokens in memory. A process that died does not count: its session ended
 * with it.
 */
async function countEdges(sql: Sql): Promise<number> {
  const [row] = await sql<[{ members: number }]>`
    select count(*)::int as members from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2 and classid::bigint = ${MEMBER}
      and database = (select oid from pg_database where datname = current_database())`;
  return row.members;
}
