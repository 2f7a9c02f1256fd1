import type { Sql } from "#postgres";

export interface StoredPlatformToken {
  readonly id: string;
  readonly description: string;
  readonly createdAt: Date;
}

/** All of them, oldest first: they are few. */
export async function listPlatformTokens(sql: Sql): Promise<StoredPlatformToken[]> {
  return sql<StoredPlatformToken[]>`
    select id, description, created_at as "createdAt" from platform.tokens order by id`;
}
