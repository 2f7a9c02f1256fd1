import type { Answer, StampedeClient } from "#client";
import { STATES, type Transaction } from "#domain";
import type { Store } from "#postgres";
import { summariseTransactions, type TransactionSummary } from "../transactions-with-prefix.ts";
import type { PreparedRun } from "./prepare-run.ts";
import { readRun, readUntilEqual } from "./read-back.ts";
import { disagreeing, type JudgedSection, type Section } from "./report.ts";
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

const ASKED = 50;

/** Asks `transaction/get` for some of the transactions, evenly over all; ids whose answer differs from the model. */
async function checkGet(
  client: StampedeClient,
  expected: ReadonlyMap<string, Transaction>,
): Promise<{ asked: number; differing: string[] }> {
  const ids = [...expected.keys()];
  const step = Math.max(1, Math.floor(ids.length / ASKED));
  const asked = ids.filter((_, i) => i % step === 0).slice(0, ASKED);
  const differing: string[] = [];
  for (const id of asked) {
    const answer = await client.getTransaction(id).catch(() => undefined);
    if (answer === undefined || !isAsStored(answer, id, expected.get(id) as Transaction)) differing.push(id);
  }
  return { asked: asked.length, differing };
}

function isAsStored(answer: Answer<"transaction/get">, id: string, expected: Transaction): boolean {
  const { id: _, rewards: __, ...told } = answer;
  const wanted = {
    external_id: id,
    member_id: expected.memberId,
    state: expected.state,
    network: expected.network,
    merchant_id: expected.merchantId,
    statement_descriptor: expected.statementDescriptor,
    amount: expected.amount,
    currency: expected.currency,
    authed_at: inMilliseconds(expected.authedAt),
    cleared_at: expected.clearedAt && inMilliseconds(expected.clearedAt),
    reverted_at: expected.revertedAt && inMilliseconds(expected.revertedAt),
    identifiers: [expected.identifier6, ...(expected.identifier8 === null ? [] : [expected.identifier8])],
  };
  const fields = Object.keys({ ...wanted, ...told }) as (keyof typeof wanted)[];
  return fields.every(
    (field) => JSON.stringify(told[field] ?? null) === JSON.stringify(wanted[field] ?? null),
  );
}

const inMilliseconds = (time: string): string => new Date(time).toISOString();

/** What the answers said, beside the model. */
function answerSection({ counts }: Tally): Section {
  return {
    title: "events",
    source: "answers",
    rows: [
      { name: "sent", ...counts.sent },
      { name: "accepted", ...counts.accepted },
      { name: "created", indent: 1, ...counts.created },
      { name: "updated", indent: 1, ...counts.updated },
      { name: "unchanged", indent: 1, ...counts.unchanged },
      { name: "applied beside a rejected one", indent: 1, ...counts.besideRefused },
      { name: "outcome not in the answer, read back", indent: 1, ...counts.later },
      { name: "rejected: invalid_transition", ...counts.invalid_transition },
      { name: "rejected: identity_mismatch", ...counts.identity_mismatch },
      { name: "rejected: not_found (no such member)", ...counts.not_found },
      { name: "rejected: bad_request (whole request)", ...counts.malformed },
    ],
  };
}

interface ReadBack {
  /** What the model has in the end. */
  readonly expected: ReadonlyMap<string, Transaction>;
  readonly expectedCreated: number;
  readonly created: number;
  readonly summaries: readonly TransactionSummary[];
  /** Transactions that are stored and the same in every field. */
  readonly equal: number;
  readonly malformedStored: number;
  readonly asked: number;
  readonly askedEqual: number;
}

/** What Postgres has, beside the model. */
function readBackSection(read: ReadBack): Section {
  const transactions = [...read.expected.values()];
  const amount = sum(transactions.map((transaction) => transaction.amount ?? 0));
  return {
    title: "read back",
    source: "Postgres",
    rows: [
      { name: "transactions created", expected: read.expectedCreated, actual: read.created },
      ...STATES.map((state) => ({
        name: state,
        indent: 1,
        expected: transactions.filter((transaction) => transaction.state === state).length,
        actual: read.summaries.find((summary) => summary.state === state)?.transactions ?? 0,
      })),
      {
        name: "sum of amounts, minor units",
        expected: amount,
        actual: sum(read.summaries.map((summary) => summary.amount)),
      },
      { name: "equal in every field", expected: transactions.length, actual: read.equal },
      { name: "stored of malformed requests", expected: 0, actual: read.malformedStored },
      { name: "transaction/get equal", expected: read.asked, actual: read.askedEqual },
    ],
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
