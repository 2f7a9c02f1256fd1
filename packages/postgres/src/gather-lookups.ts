import { classifyDatabaseError } from "./database-errors.ts";
import type { Sql } from "./store.ts";

/**
 * Statements of one kind at a time. With one, everybody would wait while its connection hangs; with many, each would
 * carry few keys.
 */
const STATEMENTS_UNDER_WAY = 2;

/** What a statement may cost; who comes beyond waits for the next one. */
const KEYS_PER_STATEMENT = 250;

/** Finds what belongs to each key, in one statement: at the place of its key, undefined where there is nothing. */
type Load<Key, Found> = (sql: Sql, keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>;

interface Lookup<Key, Found> {
  readonly key: Key;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes look-ups of single records share statements. A lone one leaves at once, alone. While two statements are under
 * way, those that come gather, and leave together when one of the two is answered: nothing waits on a clock, and the
 * more is asked, the less each costs.
 *
 * A look-up never joins a statement that has left: what its caller wrote before would not be in that one's snapshot. So
 * every answer is as new as its question.
 */
export function gatherLookups<Key, Found>(
  load: Load<Key, Found>,
): (sql: Sql, key: Key) => Promise<Found | undefined> {
  // A transaction's look-ups must stay in it: nothing is shared between one `Sql` and another.
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
  /** In the order they came; callers bound how many there are. */
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

  /** Never rejects: whatever happens is told to those who asked. */
  async #answer(lookups: readonly Lookup<Key, Found>[]): Promise<void> {
    try {
      const found = await this.#load(lookups.map(({ key }) => key));
      for (const [at, { resolve }] of lookups.entries()) resolve(found[at]);
    } catch (error) {
      // One key that the database cannot take must not fail what strangers asked beside it.
      const isAboutKeys = ["refused", "bug"].includes(classifyDatabaseError(error));
      if (lookups.length > 1 && isAboutKeys) {
        for (const lookup of lookups) await this.#answer([lookup]);
      } else {
        for (const { reject } of lookups) reject(error);
      }
    }
  }
}
