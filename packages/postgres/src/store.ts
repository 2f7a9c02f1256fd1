import type { Tag } from "./statement.ts";

/**
 * Runs statements, on a store or in a transaction. They are written as sql<Row[]>`select … where id = ${id}`,
 * each with the type of its rows; values are sent apart from the text. timestamptz is read as Date, int8 as
 * number (a RangeError beyond 2^53 - 1), bytea as Buffer.
 */
export interface Sql extends Tag {
  /** Several statements in one text, without parameters or results, for migrations. */
  script(text: string): Promise<void>;
  /** Runs `text`, a `copy … from stdin`, with these bytes as its input. */
  copyIn(text: string, bytes: Uint8Array): Promise<void>;
}

/** A transaction under way. */
export interface Transaction extends Sql {
  /**
   * Runs `work` so that its failure, or that of one of its statements, undoes only its own work, and the
   * transaction continues. Until it has settled, the transaction's own `sql` must not be used.
   */
  savepoint<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}

/** A pool of connections to one database. */
export interface Store extends Sql {
  /**
   * Runs `work` in a transaction on one connection. If the connection is lost during the commit, it is
   * unknown whether it was committed. `mode` is what follows `begin`, such as "isolation level repeatable
   * read".
   */
  begin<T>(work: (sql: Transaction) => Promise<T>): Promise<T>;
  begin<T>(mode: string, work: (sql: Transaction) => Promise<T>): Promise<T>;
  /**
   * The same store, for the work of one owner among many, such as an organisation: it waits in its own line,
   * and has a share of the connections. Work on the store itself belongs to the process: it waits behind no
   * owner, and has no bound.
   */
  lineOf(owner: string): Store;
  close(): Promise<void>;
}

/** A store for code that works for many owners. */
export type SharedStore = Pick<Store, "lineOf">;

export interface StoreOptions {
  /**
   * `postgres://user:password@host:port/database`. TLS by `?sslmode=`: `verify-full` checks the server's
   * certificate and its host, `verify-ca` only the certificate, `require` only encrypts, and without it all
   * is plain text. `&sslrootcert=` is the file of a private authority.
   */
  readonly url: string;
  /** The most connections that are open at once; each is opened when it is first needed. */
  readonly max: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /**
   * The server cancels a statement that runs longer (57014). If a statement has no answer 5 s later, its
   * connection is closed. 0: never. Absent: the server's configuration counts, and the wait for an answer has
   * no bound.
   */
  readonly statementTimeoutMs?: number;
  /**
   * The server ends a session that is silent for this long in the middle of a transaction; 30 s if absent.
   */
  readonly idleInTransactionMs?: number;
  /**
   * Every statement is planned once for all values, and reads tables by their indexes. For a store whose
   * statements look up by key: a plan from the time when a table was empty would read it from end to end a
   * minute later.
   */
  readonly plansByIndex?: boolean;
  /** Learns of every statement and of the pool. */
  readonly observer?: StoreObserver;
}

/** Observes a store. Called for every statement: must be quick, and must not throw. */
export interface StoreObserver {
  /** Called once, first. `waiting` reads memory only, and returns how many callers wait for a connection. */
  opened(waiting: () => number): void;
  /** A caller has got a connection after this many seconds; 0 if one was free. */
  waited(seconds: number): void;
  /**
   * The server has answered, or never will.
   * @param operation of a closed set (see `operationOf`)
   * @param error undefined if it succeeded; otherwise an error of the statement or of the connection
   */
  settled(operation: string, seconds: number, error: unknown): void;
}
