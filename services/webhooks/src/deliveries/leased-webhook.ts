import type { Fragment, Sql } from "#postgres";
import type { LeasedWebhook } from "./delivery-work.ts";

/** A webhook as a statement with `leasedColumns` gives it. */
export interface LeasedRow extends Omit<LeasedWebhook, "secrets"> {
  readonly secrets: readonly { readonly id: string; readonly keyId: string; readonly hex: string }[];
}

/** When a lease ends that is given now. */
export function leaseEnd(sql: Sql, leaseMs: number): Fragment {
  return sql`now() + ${leaseMs}::float8 * interval '1 millisecond'`;
}

/** Of `w`, a row of `webhooks`, with the secrets that sign now. */
export function leasedColumns(sql: Sql): Fragment {
  return sql`
    w.id, w.organisation_id as "organisationId", w.url, w.failing_since as "failingSince",
    (
      select coalesce(
        json_agg(
          json_build_object('id', s.id, 'keyId', s.key_id, 'hex', encode(s.sealed, 'hex'))
          order by s.expires_at is null desc, s.id desc
        ),
        '[]'
      )
      from webhook_secrets s
      where s.webhook_id = w.id and (s.expires_at is null or s.expires_at > now())
    ) as secrets`;
}

export function toLeasedWebhook({
  id,
  organisationId,
  url,
  failingSince,
  secrets,
}: LeasedRow): LeasedWebhook {
  const sealed = secrets.map((secret) => ({
    id: secret.id,
    keyId: secret.keyId,
    bytes: Buffer.from(secret.hex, "hex"),
  }));
  return { id, organisationId, url, failingSince, secrets: sealed };
}
