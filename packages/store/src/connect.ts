import { Session } from "./session.ts";
import { SessionPool } from "./session-pool.ts";
import { createTag, type Statement, type Tag } from "./statement.ts";
import { runTransaction } from "./transaction.ts";

/**
 * What an operation needs, a store or a transaction on one. Statements are written as sql<Row[]>`select …
 * where id = ${id}`, each with the type of its rows; values travel apart from the text. timestamptz is read
 * as Date, int8 as number (a RangeError past 2^53 - 1), bytea as Buffer.
 */
export interface Sql extends Tag {
  /** Several statements in one text, without parameters and results: migrations. */
  script(text: string): Promise<void>;
}

/** A pool of connections to one database. */
export interface Store extends Sql {
  /**
   * Runs `work` in a transaction on one connection. If the connection is lost while it commits, it is unknown
   * whether it did. `mode` is what follows `begin`, such as "isolation level repeatable read".
   */
  begin<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  begin<T>(mode: string, work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A piece of a statement. */
export type Fragment = Statement<readonly object[]>;

export interface StoreOptions {
  /**
   * `postgres://user:password@host:port/database`. TLS by `?sslmode=`: `verify-full` checks the server's
   * certificate (a private authority is added with NODE_EXTRA_CA_CERTS), `require` only encrypts, none is
   * plain text.
   */
  readonly url: string;
  /** Connections at most; opened when first needed. */
  readonly max: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /**
   * The server cancels a statement that runs longer (57014), and one without any answer 5 s later is given up
   * with its connection. 0: never. Absent: as the server is configured, and an answer is waited for without
   * end.
   */
  readonly statementTimeoutMs?: number;
  /** Warnings and notices of the server; dropped if absent. */
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void;
}

/** What closing leaves to the work under way. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Opens no connection yet; a statement does, and rejects if it cannot (see `classifyDatabaseError`). */
export function connectStore(options: StoreOptions): Store {
  const pool = new SessionPool(options.max, () => new Session(options));
  function begin<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  function begin<T>(mode: string, work: (sql: Sql) => Promise<T>): Promise<T>;
  function begin<T>(...args: [(sql: Sql) => Promise<T>] | [string, (sql: Sql) => Promise<T>]): Promise<T> {
    const [mode, work] = args.length === 1 ? ["", args[0]] : args;
    return pool.use((session) => runTransaction(session, mode, work));
  }
  return Object.assign(
    createTag((statement) => pool.use((session) => session.run(statement))),
    {
      script: (text: string) => pool.use((session) => session.script(text)).then(() => {}),
      begin,
      close: () => pool.close(CLOSE_TIMEOUT_MS),
    },
  );
}

/** Refuses new statements, lets those under way finish for up to five seconds, then cuts them. */
export async function closeStore(store: Store): Promise<void> {
  await store.close();
}
