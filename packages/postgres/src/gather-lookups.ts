import { classifyDatabaseError } from "./database-errors.ts";
import type { Sql } from "./store.ts";

/**
 * Statements of one kind at a time. With only one, everybody would wait while its connection hangs; with
 * many, each would carry few keys.
 */
const STATEMENTS_UNDER_WAY = 2;

/** Bounds the cost of one statement; further keys wait for the next one. */
const KEYS_PER_STATEMENT = 250;

/** Finds the records of these keys in one statement, each at the place of its key, undefined if none. */
type Load<Key, Found> = (sql: Sql, keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>;

interface Lookup<Key, Found> {
  readonly key: Key;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes look-ups of single records share statements. A lone look-up leaves at once, alone. While two
 * statements are under way, new look-ups gather, and leave together when one of the two is answered: so
 * nothing waits for a timer, and the more look-ups there are, the less each costs.
 *
 * A look-up never joins a statement that has already left, whose snapshot would not show what the caller
 * wrote before. So every answer is as new as its question.
 */
export function gatherLookups<Key, Found>(
  load: Load<Key, Found>,
): (sql: Sql, key: Key) => Promise<Found | undefined> {
  // One queue for each `Sql`: a transaction's look-ups must stay in the transaction.
  const queues = new WeakMap<Sql, LookupQueue<Key, Found>>();
  return (sql, key) => {
    let queue = queues.get(sql);
    if (queue === undefined) {
      queue = new LookupQueue((keys) => load(sql, keys));
      queues.set(sql, queue);
    }
    return queue.find(key);
  };
}

class LookupQueue<Key, Found> {
  readonly #load: (keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>;
  /** In the order in which they came; the callers bound how many there are. */
  #waiting: Lookup<Key, Found>[] = [];
  #underWay = 0;

  constructor(load: (keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>) {
    this.#load = load;
  }

  find(key: Key): Promise<Found | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    if (this.#underWay >= STATEMENTS_UNDER_WAY || this.#waiting.length === 0) return;
    const lookups = this.#waiting.splice(0, KEYS_PER_STATEMENT);
    this.#underWay++;
    void this.#answer(lookups).then(() => {
      this.#underWay--;
      this.#send();
    });
  }

  /** Never rejects: the result or the error goes to those who asked. */
  async #answer(lookups: readonly Lookup<Key, Found>[]): Promise<void> {
    try {
      const found = await this.#load(lookups.map(({ key }) => key));
      for (const [at, { resolve }] of lookups.entries()) resolve(found[at]);
    } catch (error) {
      // A key that the database refuses must not fail the look-ups of others in the same statement.
      const isAboutKeys = ["refused", "bug"].includes(classifyDatabaseError(error));
      if (lookups.length > 1 && isAboutKeys) {
        for (const lookup of lookups) await this.#answer([lookup]);
      } else {
        for (const { reject } of lookups) reject(error);
      }
    }
  }
}
