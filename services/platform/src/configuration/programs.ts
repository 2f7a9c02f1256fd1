import type { PlatformProgram, PlatformRequestOf, ProgramConfig } from "#contract/platform";
import { encodeId } from "#domain";
import { notFound } from "#http";
import type { PlatformEndpoint } from "../endpoint.ts";
import { type ConfigurationAccess, versionedEndpoints } from "./revised-endpoints.ts";
import { type RetroactiveSpan, type VersionedRow, VersionedTable } from "./revised-table.ts";
import { refuseContradictions, type StoredRules, toStoredRules, writeRules } from "./stored-rules.ts";

interface StoredProgram extends VersionedRow {
  readonly name: string;
  readonly qualifyingThreshold: number;
  readonly rewardConfig: PlatformProgram["reward_config"];
  readonly displayContent: PlatformProgram["display_content"];
  readonly rules: StoredRules;
}

/** The fields of a program that a caller sets, all together. */
export type ProgramFields = Pick<
  StoredProgram,
  "name" | "qualifyingThreshold" | "rewardConfig" | "displayContent" | "rules"
>;

export const programTable = new VersionedTable<StoredProgram, ProgramFields>({
  name: "platform.loyalty_programs",
  columns: (sql) => sql`
    name, qualifying_threshold as "qualifyingThreshold", reward_config as "rewardConfig",
    display_content as "displayContent", rules`,
  values: (sql, program) => ({
    name: sql`${program.name}`,
    qualifying_threshold: sql`${program.qualifyingThreshold}`,
    reward_config: sql`${JSON.stringify(program.rewardConfig)}::text::jsonb`,
    display_content: sql`${JSON.stringify(program.displayContent)}::text::jsonb`,
    rules: sql`${JSON.stringify(program.rules)}::text::jsonb`,
  }),
});

/** @throws ApiError `bad_request` for rules that contradict each other */
export function readProgram(body: PlatformRequestOf<"loyalty-program/upsert">): ProgramFields {
  refuseContradictions(body);
  return {
    name: body.name,
    qualifyingThreshold: body.qualifying_threshold,
    rewardConfig: body.reward_config,
    displayContent: body.display_content,
    rules: toStoredRules(body.rules),
  };
}

export function programEndpoints(access: ConfigurationAccess): PlatformEndpoint[] {
  return versionedEndpoints(access, {
    route: "loyalty-program",
    idPrefix: "lp",
    table: programTable,
    unknown: unknownProgram,
    read: readProgram,
    write: (program) => ({
      id: encodeId("lp", program.id),
      name: program.name,
      qualifying_threshold: program.qualifyingThreshold,
      reward_config: program.rewardConfig,
      display_content: program.displayContent,
      rules: writeRules(program.rules),
      created_at: program.createdAt.toISOString(),
      updated_at: program.updatedAt.toISOString(),
    }),
  });
}

export const unknownProgram = () => notFound("loyalty program", "loyalty_program");

/**
 * A program in the form for publishers (contract, section 8). Of its rules they learn only the currency of
 * its rewards and whether earlier purchases count, because the publisher decides which links a purchase has.
 */
export function toProgramConfig(
  program: StoredProgram & { readonly retroactiveSpans: readonly RetroactiveSpan[] },
): ProgramConfig {
  const { currency, retroactive } = program.rules;
  const history = program.retroactiveSpans.length > 1 && {
    retroactive_history: [...program.retroactiveSpans],
  };
  return {
    v: 1,
    kind: "loyalty-program",
    id: encodeId("lp", program.id),
    revision: program.revision,
    ...(program.deletedAt !== null && history),
    record:
      program.deletedAt !== null
        ? null
        : {
            name: program.name,
            qualifying_threshold: program.qualifyingThreshold,
            reward_config: program.rewardConfig,
            display_content: program.displayContent,
            ...(currency !== undefined && { currency }),
            ...(retroactive !== undefined && { retroactive }),
            ...history,
            created_at: program.createdAt.toISOString(),
            updated_at: program.updatedAt.toISOString(),
          },
  };
}
