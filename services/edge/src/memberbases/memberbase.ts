import type { Fragment, Sql } from "#postgres";

export interface Memberbase {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
}

export function memberbaseColumns(sql: Sql): Fragment {
  return sql`
    id, name, created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt"`;
}
