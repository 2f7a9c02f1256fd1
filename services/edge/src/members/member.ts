import type { Fragment, Sql } from "#postgres";

/** What an integrator may store with a member (contract, section 5). */
export type AttributeValue = string | number | boolean | readonly string[];

export interface Member {
  readonly id: string;
  readonly memberbaseId: string;
  /** The integrator's own name for the member, unique in the memberbase; exact bytes. */
  readonly ref: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly createdAt: Date;
  /** Moves only when an attribute really changed. */
  readonly updatedAt: Date;
}

/** One entry of a bulk upsert: a present attribute overwrites, null removes, an absent one is left alone. */
export interface MemberUpsert {
  readonly ref: string;
  readonly attributes?: Readonly<Record<string, AttributeValue | null>> | undefined;
}

/** Of `members`. */
export function memberColumns(sql: Sql): Fragment {
  return sql`
    members.id, members.memberbase_id as "memberbaseId", members.ref, members.attributes,
    members.created_at as "createdAt", members.updated_at as "updatedAt"`;
}
