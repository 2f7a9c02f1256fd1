import postgres, { type Sql } from "postgres";
import type { Servers } from "./servers.ts";
import { childrenOf, readCounters } from "./usage.ts";

/** Counters that only rise, by name. */
export type Counters = Readonly<Record<string, number>>;

/** The prefix of the service's name in the names of its connections. */
const APPLICATION_PREFIX = "stampede-";
const OWN = "bench-meter";
const BACKGROUND = "database background";

/** CPU time of every process of PostgreSQL, by the service that it works for, and the write-ahead log. */
export class BackendWatch {
  readonly #sql: Sql;
  readonly #postmaster: number;
  readonly #own: number;
  /** Remembered, because a backend takes its counters with it when it ends. */
  readonly #names = new Map<number, string>();
  readonly #cpu = new Map<number, number>();
  readonly #written = new Map<number, number>();

  static async open(servers: Servers, database: string): Promise<BackendWatch> {
    const sql = postgres(servers.databaseUrl(database), {
      max: 1,
      connection: { application_name: OWN },
      onnotice: () => {},
    });
    const [{ pid, own }] = await sql<[{ pid: number; own: number }]>`
      select split_part(pg_read_file('postmaster.pid'), e'\n', 1)::int as pid, pg_backend_pid() as own`;
    return new BackendWatch(sql, pid, own);
  }

  private constructor(sql: Sql, postmaster: number, own: number) {
    this.#sql = sql;
    this.#postmaster = postmaster;
    this.#own = own;
  }

  /**
   * `cpu.<service> database` for the backends of a service, `cpu.database background` for processes that
   * serve all of them.
   */
  async read(): Promise<Counters> {
    const backends = await this.#sql<{ pid: number; application: string; type: string }[]>`
      select pid, application_name as application, backend_type as type from pg_stat_activity`;
    for (const { pid, application, type } of backends) this.#names.set(pid, backendOf(application, type));
    const [log] = await this.#sql<[{ bytes: string }]>`
      select (pg_current_wal_insert_lsn() - '0/0')::text as bytes`;
    for (const pid of childrenOf(new Set([this.#postmaster]))) {
      const { cpuSeconds, writtenBytes } = readCounters(pid);
      this.#cpu.set(pid, Math.max(cpuSeconds, this.#cpu.get(pid) ?? 0));
      this.#written.set(pid, Math.max(writtenBytes, this.#written.get(pid) ?? 0));
    }
    const counters: Record<string, number> = { "wal.bytes": Number(log.bytes) };
    const add = (name: string, value: number): void => {
      counters[name] = (counters[name] ?? 0) + value;
    };
    for (const [pid, seconds] of this.#cpu) add(`cpu.${this.#names.get(pid) ?? BACKGROUND}`, seconds);
    for (const bytes of this.#written.values()) add("written.database", bytes);
    return counters;
  }

  /** CPU seconds of all backends with a client, except this watch's own. */
  async cpuSeconds(): Promise<number> {
    await this.read();
    const served = [...this.#cpu].filter(([pid]) => {
      const name = this.#names.get(pid);
      return name !== undefined && name !== BACKGROUND && pid !== this.#own;
    });
    return served.reduce((sum, [, seconds]) => sum + seconds, 0);
  }

  async close(): Promise<void> {
    await this.#sql.end();
  }
}

function backendOf(application: string, type: string): string {
  if (type !== "client backend") return BACKGROUND;
  if (!application.startsWith(APPLICATION_PREFIX)) return "bench";
  // `stampede-ingest-locks` works for ingest, too.
  const service = application.slice(APPLICATION_PREFIX.length).split("-")[0] as string;
  return `${service} database`;
}
