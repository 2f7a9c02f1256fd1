import { type CallOptions, LIMITS, type StampedeClient } from "#client";

/**
 * How many rejections the service had counted without keeping them when an import began. It keeps a thousand of an organisation
 * and minute: `transaction.batch/get` names no others, and calls their events accepted.
 */
export interface NotKept {
  /** The minute of the newest rejection, by the service's clock: an import's own come in it or later. Null: there was none. */
  readonly since: string | null;
  /** From that minute on. */
  readonly count: number;
}

const MINUTE_MS = 60_000;

export async function readNotKept(client: StampedeClient, options: CallOptions): Promise<NotKept> {
  const request = { pagination: { limit: 1 } };
  const { data } = await client.call("transaction.rejection/list", request, options);
  const [newest] = data;
  if (newest === undefined) return { since: null, count: 0 };
  const minute = Math.floor(Date.parse(newest.rejected_at) / MINUTE_MS) * MINUTE_MS;
  const since = new Date(minute).toISOString();
  return { since, count: await count(client, since, options) };
}

/** How many more there are now, of this import or of others in the organisation. */
export async function countNotKept(
  client: StampedeClient,
  before: NotKept,
  options: CallOptions,
): Promise<number> {
  return Math.max(0, (await count(client, before.since, options)) - before.count);
}

async function count(client: StampedeClient, since: string | null, options: CallOptions): Promise<number> {
  const request = { ...(since !== null && { since }), pagination: { limit: LIMITS.pageLimitMax } };
  let sum = 0;
  for await (const row of client.list("transaction.rejection/list", request, options)) {
    if (row.code === "not_kept") sum += row.count ?? 0;
  }
  return sum;
}
