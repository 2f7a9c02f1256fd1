import { Gathering } from "#runtime";
import { classifyDatabaseError } from "./database-errors.ts";
import type { Sql } from "./store.ts";

/**
 * Concurrent statements of one kind. With only one, all callers would wait while its connection hangs; with
 * many, each would carry few keys.
 */
const STATEMENTS_UNDER_WAY = 2;

/** Bounds the cost of one statement; further keys wait for the next one. */
const KEYS_PER_STATEMENT = 250;

/** Finds the records of these keys in one statement, each at the place of its key, undefined if none. */
type Load<Key, Found> = (sql: Sql, keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>;

/**
 * Lets look-ups of single records share statements (`Gathering`): the more there are, the less each costs.
 *
 * A look-up never joins a statement that was already sent, whose snapshot would lack the caller's earlier
 * writes.
 */
export function gatherLookups<Key, Found>(
  load: Load<Key, Found>,
): (sql: Sql, key: Key) => Promise<Found | undefined> {
  // One queue for each `Sql`: a transaction's look-ups must stay in the transaction.
  const queues = new WeakMap<Sql, Gathering<Key, Found | undefined>>();
  return (sql, key) => {
    let queue = queues.get(sql);
    if (queue === undefined) {
      queue = new Gathering({
        work: (keys) => load(sql, keys),
        max: KEYS_PER_STATEMENT,
        calls: STATEMENTS_UNDER_WAY,
        isOfItem: (error) => ["refused", "bug"].includes(classifyDatabaseError(error)),
      });
      queues.set(sql, queue);
    }
    return queue.add(key);
  };
}
