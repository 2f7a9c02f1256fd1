import type { StampedeClient } from "#client";
import type { Store } from "#postgres";
import { summariseTransactions } from "../transactions/summarise-transactions.ts";
import { checkGet } from "./check-get.ts";
import type { PreparedRun } from "./prepare-run.ts";
import { readRun, readUntilEqual } from "./read-back.ts";
import { disagreeing, type JudgedSection, type Section } from "./report.ts";
import { answerSection, readBackSection } from "./sections.ts";
import type { Tally } from "./tally.ts";

const SHOWN_DIFFERENCES = 5;

export interface Verdict {
  readonly sections: readonly Section[];
  /** What differs, for people: some of it, if there is much. */
  readonly examples: readonly string[];
  /** Names of the numbers that differ. */
  readonly differing: readonly string[];
  readonly agrees: boolean;
}

/**
 * Holds the answers, the rows in Postgres and the answers of `transaction/get` against the model.
 * @param further what has been found out already
 */
export async function checkRun(
  client: StampedeClient,
  store: Store,
  run: PreparedRun,
  tally: Tally,
  settleMs: number,
  further: readonly JudgedSection[],
): Promise<Verdict> {
  const { organisationId, prefix, expected } = run;
  const read = () => readRun(store, organisationId, prefix);
  const { records, differences } = await readUntilEqual(read, expected, settleMs);
  const { asked, differing: differingGets } = await checkGet(client, expected);
  const sections = [
    answerSection(tally),
    readBackSection({
      expected,
      expectedCreated: run.expectedCreated,
      created: records.size - run.storedBefore,
      summaries: await summariseTransactions(store, organisationId, prefix),
      equal: expected.size - differences.length,
      malformedStored: run.malformedIds.filter((id) => records.has(id)).length,
      asked,
      askedEqual: asked - differingGets.length,
    }),
    ...further.map(({ section }) => section),
  ];
  const examples = [
    ...tally.disagreements,
    ...differences.slice(0, SHOWN_DIFFERENCES),
    ...further.flatMap(({ examples }) => examples),
  ];
  const differing = disagreeing(sections).map(({ name }) => name);
  return { sections, examples, differing, agrees: differing.length === 0 && examples.length === 0 };
}
