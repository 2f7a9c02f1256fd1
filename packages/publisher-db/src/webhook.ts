import type { WebhookState } from "#contract";
import type { Fragment, Sql } from "#postgres";

/** The public fields of a webhook: its secrets are in separate rows. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** The requested types and patterns. */
  readonly events: readonly string[];
  readonly description: string;
  readonly state: WebhookState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Since when every attempt has failed; null if the last one did not fail. */
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
}

/** A stored secret: the caller encrypts it, with a key that never comes here. */
export interface SealedWebhookSecret {
  readonly id: string;
  /** Name of the encryption key. */
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** The columns of a `Webhook`, of the only table of a query that has a column `id`. */
export function webhookColumns(sql: Sql): Fragment {
  return sql`
    id, url, coalesce(asked, events) as events, description, state, created_at as "createdAt", updated_at as "updatedAt",
    failing_since as "failingSince",
    (select q.last_success_at from webhook_queues q where q.webhook_id = id) as "lastSuccessAt"`;
}
