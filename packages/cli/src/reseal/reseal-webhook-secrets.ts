import type { Sql } from "#postgres";
import type { SealedWebhookSecret } from "#publisher-db";
import { type Reseal, type Resealed, resealRows } from "./resealed.ts";

const ROWS_PER_STEP = 100;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** A secret and the webhook that it signs for. */
export interface OwnedWebhookSecret extends SealedWebhookSecret {
  readonly webhookId: string;
}

/**
 * Puts the secrets of all webhooks under the key `keyId`, in small steps beside everything that runs. Secrets that sign no
 * more are left out. One that is made meanwhile has a higher id and is met, whichever key sealed it.
 */
export async function resealWebhookSecrets(
  sql: Sql,
  keyId: string,
  reseal: Reseal<OwnedWebhookSecret>,
): Promise<Resealed> {
  let [resealed, unreadable] = [0, 0];
  let last: string | undefined = BEFORE_ALL;
  while (last !== undefined) {
    const rows: OwnedWebhookSecret[] = await sql<OwnedWebhookSecret[]>`
      select id, webhook_id as "webhookId", key_id as "keyId", sealed as bytes
      from webhook_secrets
      where id > ${last} and key_id <> ${keyId} and (expires_at is null or expires_at > now())
      order by id limit ${ROWS_PER_STEP}`;
    const step = await resealRows(rows, reseal, async (row, sealed) => {
      // Nothing but this changes the bytes of a secret. The key tells whether another walk was here first.
      const written = await sql`
        update webhook_secrets set key_id = ${sealed.keyId}, sealed = ${sealed.bytes}
        where id = ${row.id} and key_id = ${row.keyId}
        returning 1`;
      return written.length > 0;
    });
    resealed += step.resealed;
    unreadable += step.unreadable;
    last = rows.at(-1)?.id;
  }
  return { resealed, unreadable };
}
