import type { Transaction } from "#domain";
import { STATES } from "#domain";
import type { TransactionSummary } from "../transactions/summarise-transactions.ts";
import type { Section } from "./report.ts";
import type { Tally } from "./tally.ts";

/** What the answers said, beside the model. */
export function answerSection({ counts }: Tally): Section {
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

export interface ReadBack {
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
export function readBackSection(read: ReadBack): Section {
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
