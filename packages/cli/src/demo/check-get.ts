import type { Answer, StampedeClient } from "#client";
import type { Transaction } from "#domain";

const ASKED = 50;

/** Asks `transaction/get` for some of the transactions, evenly over all; ids whose answer differs from the model. */
export async function checkGet(
  client: StampedeClient,
  expected: ReadonlyMap<string, Transaction>,
): Promise<{ asked: number; differing: string[] }> {
  const ids = [...expected.keys()];
  const step = Math.max(1, Math.floor(ids.length / ASKED));
  const asked = ids.filter((_, i) => i % step === 0).slice(0, ASKED);
  const differing: string[] = [];
  for (const id of asked) {
    const answer = await client.getTransaction(id).catch(() => undefined);
    if (answer === undefined || !isSame(answer, id, expected.get(id) as Transaction)) differing.push(id);
  }
  return { asked: asked.length, differing };
}

function isSame(answer: Answer<"transaction/get">, id: string, expected: Transaction): boolean {
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
