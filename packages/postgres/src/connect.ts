import { LRUCache } from "lru-cache";
import { readDatabaseAddress } from "./database-address.ts";
import { Session } from "./session.ts";
import { Line, SessionPool } from "./session-pool.ts";
import { createTag } from "./statement.ts";
import type { Store, StoreOptions, Transaction } from "./store.ts";
import { runTransaction } from "./transaction.ts";

export type { Fragment } from "./statement.ts";
export type { SharedStore, Sql, Store, StoreOptions, Transaction } from "./store.ts";

/** How long closing waits for the work under way. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Owners whose queue is remembered, so that their look-ups share statements (`gatherLookups`). If an owner is
 * forgotten while its statements are under way, it may have two shares for that time.
 */
const LINES_KEPT = 10_000;

/**
 * Opens no connection yet. Each statement opens one if needed, and rejects if it cannot (see
 * `classifyDatabaseError`).
 * @throws StartError when the TLS settings of the URL cannot be used
 */
export function connectStore(options: StoreOptions): Store {
  readDatabaseAddress(options.url);
  const pool = new SessionPool(options.max, () => new Session(options), options.observer);
  const stores = new LRUCache<string, Store>({ max: LINES_KEPT });
  const lineOf = (owner: string): Store => {
    let store = stores.get(owner);
    if (store === undefined) {
      store = storeOver(pool, new Line(owner), lineOf);
      stores.set(owner, store);
    }
    return store;
  };
  return storeOver(pool, new Line(), lineOf);
}

function storeOver(pool: SessionPool, line: Line, lineOf: Store["lineOf"]): Store {
  type Work<T> = (sql: Transaction) => Promise<T>;
  function begin<T>(work: Work<T>): Promise<T>;
  function begin<T>(mode: string, work: Work<T>): Promise<T>;
  function begin<T>(...args: [Work<T>] | [string, Work<T>]): Promise<T> {
    const [mode, work] = args.length === 1 ? ["", args[0]] : args;
    return pool.use(line, (session) => runTransaction(session, mode, work));
  }
  return Object.assign(
    createTag((statement) => pool.use(line, (session) => session.run(statement))),
    {
      script: (text: string) => pool.use(line, (session) => session.script(text)).then(() => {}),
      copyIn: (text: string, bytes: Uint8Array) => pool.use(line, (session) => session.copyIn(text, bytes)),
      begin,
      lineOf,
      close: () => pool.close(CLOSE_TIMEOUT_MS),
    },
  );
}

/** Refuses new statements, lets those under way finish for up to five seconds, then cuts them. */
export async function closeStore(store: Store): Promise<void> {
  await store.close();
}
