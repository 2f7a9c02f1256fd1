import { readDatabaseAddress } from "./database-address.ts";
import { Session } from "./session.ts";
import { SessionPool } from "./session-pool.ts";
import { createTag } from "./statement.ts";
import type { Store, StoreOptions, Transaction } from "./store.ts";
import { runTransaction } from "./transaction.ts";

export type { Fragment } from "./statement.ts";
export type { Sql, Store, StoreOptions, Transaction } from "./store.ts";

/** How long closing waits for the work under way. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Opens no connection yet. Each statement opens one if needed, and rejects if it cannot (see
 * `classifyDatabaseError`).
 * @throws StartError when the TLS settings of the URL cannot be used
 */
export function connectStore(options: StoreOptions): Store {
  readDatabaseAddress(options.url);
  const pool = new SessionPool(options.max, () => new Session(options), options.observer);
  type Work<T> = (sql: Transaction) => Promise<T>;
  function begin<T>(work: Work<T>): Promise<T>;
  function begin<T>(mode: string, work: Work<T>): Promise<T>;
  function begin<T>(...args: [Work<T>] | [string, Work<T>]): Promise<T> {
    const [mode, work] = args.length === 1 ? ["", args[0]] : args;
    return pool.use((session) => runTransaction(session, mode, work));
  }
  return Object.assign(
    createTag((statement) => pool.use((session) => session.run(statement))),
    {
      script: (text: string) => pool.use((session) => session.script(text)).then(() => {}),
      copyIn: (text: string, bytes: Uint8Array) => pool.use((session) => session.copyIn(text, bytes)),
      begin,
      close: () => pool.close(CLOSE_TIMEOUT_MS),
    },
  );
}

/** Refuses new statements, lets those under way finish for up to five seconds, then cuts them. */
export async function closeStore(store: Store): Promise<void> {
  await store.close();
}
