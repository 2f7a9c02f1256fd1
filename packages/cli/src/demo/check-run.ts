import type { Answer, StampedeClient } from "#client";
import { STATES, type Transaction } from "#domain";
import type { Store } from "#postgres";
import { malformedOf, type PreparedRun } from "./prepare-run.ts";
import { differingFields, findDifferences, readRun, summariseRun } from "./read-back.ts";
import { readUntil } from "./read-until.ts";
import { type Section, sum } from "./report.ts";

const POLL_MS = 200;
const SHOWN_DIFFERENCES = 5;

/**
 * Holds the rows in Postgres and the answers of `transaction/get` against the model.
 * @param settleMs how long events answered 202 may take until they are seen
 */
export async function checkRun(
  client: StampedeClient,
  store: Store,
  { organisationId, prefix, ...run }: PreparedRun,
  settleMs: number,
): Promise<Section> {
  const { stored, differences } = await readUntil(
    async () => {
      const stored = await readRun(store, organisationId, prefix);
      return { stored, differences: findDifferences(stored, run.expected) };
    },
    ({ differences }) => differences.length === 0,
    { forMs: settleMs, everyMs: POLL_MS },
  );
  const got = await checkGet(client, run.expected);
  const summaries = await summariseRun(store, organisationId, prefix);
  const expected = [...run.expected.values()];
  const created = [...run.outcomes.values()].filter((outcome) => outcome === "created").length;
  return {
    title: "read back",
    source: "Postgres",
    rows: [
      { name: "transactions created", expected: created, actual: stored.size - run.storedBefore },
      ...STATES.map((state) => ({
        name: state,
        indent: 1,
        expected: expected.filter((transaction) => transaction.state === state).length,
        actual: summaries.find((summary) => summary.state === state)?.transactions ?? 0,
      })),
      {
        name: "sum of amounts, minor units",
        expected: sum(expected.map(({ amount }) => amount ?? 0)),
        actual: sum(summaries.map(({ amount }) => amount)),
      },
      {
        name: "equal in every field",
        expected: expected.length,
        actual: expected.length - differences.length,
      },
      {
        name: "stored of malformed requests",
        expected: 0,
        actual: malformedOf(run.entries).filter(({ external_id }) => stored.has(external_id)).length,
      },
      { name: "transaction/get equal", ...got },
    ],
    examples: differences.slice(0, SHOWN_DIFFERENCES),
  };
}

const ASKED = 50;

/** Asks `transaction/get` for some of the transactions, evenly over all: how many, and how many are as the model says. */
async function checkGet(client: StampedeClient, expected: ReadonlyMap<string, Transaction>) {
  const step = Math.max(1, Math.floor(expected.size / ASKED));
  const asked = [...expected].filter((_, i) => i % step === 0).slice(0, ASKED);
  let actual = 0;
  for (const [id, transaction] of asked) {
    const answer = await client.getTransaction(id).catch(() => undefined);
    if (answer !== undefined && isAsStored(answer, id, transaction)) actual++;
  }
  return { expected: asked.length, actual };
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
    authed_at: expected.authedAt,
    cleared_at: expected.clearedAt,
    reverted_at: expected.revertedAt,
    identifiers: [expected.identifier6, ...(expected.identifier8 === null ? [] : [expected.identifier8])],
  };
  return differingFields(told, wanted).length === 0;
}
