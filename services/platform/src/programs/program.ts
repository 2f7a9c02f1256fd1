import type { PlatformProgram } from "#contract";
import type { Fragment, Sql } from "#postgres";
import type { StoredRules } from "../stored-rules.ts";

export interface StoredProgram {
  readonly id: string;
  readonly name: string;
  readonly qualifyingThreshold: number;
  readonly rewardConfig: PlatformProgram["reward_config"];
  readonly displayContent: PlatformProgram["display_content"];
  readonly rules: StoredRules;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
  /** Grows with every change of this program, its deletion too. */
  readonly revision: number;
}

/** What a caller says of a program. */
export type ProgramFields = Pick<
  StoredProgram,
  "id" | "name" | "qualifyingThreshold" | "rewardConfig" | "displayContent" | "rules"
>;

export function programColumns(sql: Sql): Fragment {
  return sql`
    id, name, qualifying_threshold as "qualifyingThreshold", reward_config as "rewardConfig",
    display_content as "displayContent", rules, created_at as "createdAt", updated_at as "updatedAt",
    deleted_at as "deletedAt", revision`;
}
