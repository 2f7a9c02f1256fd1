import { SeededRandom } from "#domain";
import { type Answer, judge } from "./judge.ts";
import type { KnownValues } from "./known-values.ts";
import { type Case, makeValidCase } from "./make-case.ts";
import type { Operation, Operations } from "./operations.ts";

/** Independent of the run's seed: every run walks the same way. */
const SEED = 1;
/** Far more than any operation needs. Some need several: not every pair of a member and a program can be enrolled. */
const ATTEMPTS = 300;
/** Tried in turn: some operations want only the required fields, others want more than the schema says. */
const OPTIONAL_SHARES = [0, 0.3, 0.6];
/** The requests of these operations name the records that they make. */
const INGESTS = /\/ingest$/;
const REMOVES = /\/(bulk-delete|delete|revoke)$/;

interface Walk {
  readonly operations: Operations;
  /** Records that no other case needs: the walk removes some of them. It adds the records that it makes. */
  readonly known: KnownValues;
  readonly secrets: readonly string[];
  readonly send: (made: Case) => Promise<Answer>;
}

/** What the walk found. */
interface Walked {
  /** Operations of which no request succeeded. */
  readonly unmet: readonly string[];
  /** Answers that are not as documented. */
  readonly wrong: readonly string[];
}

/**
 * Goes through all operations, each until a request succeeds: in the order of the document, those that remove
 * something last. Random requests reach most operations and miss some now and then, because the records that
 * they need have been removed by then.
 */
export async function walk({ operations, known, secrets, send }: Walk): Promise<Walked> {
  const unmet: string[] = [];
  const wrong: string[] = [];
  const random = new SeededRandom(SEED);
  const succeeds = async (operation: Operation): Promise<boolean> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const optionalShare = OPTIONAL_SHARES[attempt % OPTIONAL_SHARES.length] as number;
      const { resolve } = operations;
      const made = makeValidCase(operation, { random, resolve, known, optionalShare });
      const answer = await send(made);
      const fault = judge(made, answer, secrets);
      if (fault !== undefined) {
        wrong.push(`${operation.route}: ${fault}; asked ${Buffer.from(made.bytes)}`);
        return false;
      }
      if (answer.status >= 300) continue;
      const body = JSON.parse(answer.text);
      // A list also names records that others need.
      if (body.data === undefined) known.learn(operation.route, body);
      if (INGESTS.test(operation.route))
        known.learn(operation.route, JSON.parse(`${Buffer.from(made.bytes)}`));
      return true;
    }
    return false;
  };
  const removing = operations.all.filter(({ route }) => REMOVES.test(route));
  const others = operations.all.filter(({ route }) => !REMOVES.test(route));
  for (const operation of [...others, ...removing]) {
    if (!(await succeeds(operation))) unmet.push(operation.route);
  }
  return { unmet, wrong };
}
