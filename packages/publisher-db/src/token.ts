import type { Fragment, Sql } from "#postgres";

export type TokenAccess = "read" | "write";

/** An API token as it may be shown, without the secret or its hash. */
export interface Token {
  readonly id: string;
  readonly access: TokenAccess;
  readonly description: string;
  readonly createdAt: Date;
  /** Null if it never expires. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Recorded at intervals, so it may lag by one of them; null if the token was never used. */
  readonly lastUsedAt: Date | null;
}

export function tokenColumns(sql: Sql): Fragment {
  return sql`
    id, access, description, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    last_used_at as "lastUsedAt"`;
}
