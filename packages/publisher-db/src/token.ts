import type { Fragment, Sql } from "#postgres";

export type TokenAccess = "read" | "write";

/** An API token as it may be shown: neither the secret nor its hash. */
export interface Token {
  readonly id: string;
  readonly access: TokenAccess;
  readonly description: string;
  readonly createdAt: Date;
  /** null: never expires. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Recorded at intervals, so behind by up to one of them; null: never used. */
  readonly lastUsedAt: Date | null;
}

export function tokenColumns(sql: Sql): Fragment {
  return sql`
    id, access, description, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    last_used_at as "lastUsedAt"`;
}
