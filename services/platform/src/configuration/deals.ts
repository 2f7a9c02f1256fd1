import type { DealConfig, PlatformDeal, PlatformRequestOf } from "#contract/platform";
import { encodeId, toUtcMicroseconds } from "#domain";
import { notFound } from "#http";
import { utc } from "#postgres";
import type { PlatformEndpoint } from "../endpoint.ts";
import { type ConfigurationAccess, versionedEndpoints } from "./revised-endpoints.ts";
import { type RetroactiveSpan, type VersionedRow, VersionedTable } from "./revised-table.ts";
import {
  refuseDealContradictions,
  type StoredRules,
  toMilliseconds,
  toStoredRules,
  writeRules,
} from "./stored-rules.ts";

interface StoredDeal extends VersionedRow {
  readonly name: string;
  readonly rewardConfig: PlatformDeal["reward_config"];
  readonly displayContent: PlatformDeal["display_content"];
  readonly rules: StoredRules;
  /** In the form of `toUtcMicroseconds` of `#domain`: publishers get exactly this text. */
  readonly startsAt: string | null;
  /** The first moment after the deal, in the same form. */
  readonly endsAt: string | null;
}

/** The fields of a deal that a caller sets, all together. */
export type DealFields = Pick<
  StoredDeal,
  "name" | "rewardConfig" | "displayContent" | "rules" | "startsAt" | "endsAt"
>;

export const dealTable = new VersionedTable<StoredDeal, DealFields>({
  name: "platform.deals",
  columns: (sql) => sql`
    name, reward_config as "rewardConfig", display_content as "displayContent", rules,
    ${utc(sql, "starts_at")} as "startsAt", ${utc(sql, "ends_at")} as "endsAt"`,
  values: (sql, deal) => ({
    name: sql`${deal.name}`,
    starts_at: sql`${deal.startsAt}::text::timestamptz`,
    ends_at: sql`${deal.endsAt}::text::timestamptz`,
    reward_config: sql`${JSON.stringify(deal.rewardConfig)}::text::jsonb`,
    display_content: sql`${JSON.stringify(deal.displayContent)}::text::jsonb`,
    rules: sql`${JSON.stringify(deal.rules)}::text::jsonb`,
  }),
});

/** @throws ApiError `bad_request` for fields that contradict each other */
export function readDeal(body: PlatformRequestOf<"deal/upsert">): DealFields {
  refuseDealContradictions(body);
  return {
    name: body.name,
    rewardConfig: body.reward_config,
    displayContent: body.display_content,
    rules: toStoredRules(body.rules),
    startsAt: body.starts_at === undefined ? null : toUtcMicroseconds(body.starts_at),
    endsAt: body.ends_at === undefined ? null : toUtcMicroseconds(body.ends_at),
  };
}

export function dealEndpoints(access: ConfigurationAccess): PlatformEndpoint[] {
  return versionedEndpoints(access, {
    route: "deal",
    idPrefix: "deal",
    table: dealTable,
    unknown: unknownDeal,
    read: readDeal,
    write: (deal) => ({
      id: encodeId("deal", deal.id),
      name: deal.name,
      reward_config: deal.rewardConfig,
      display_content: deal.displayContent,
      rules: writeRules(deal.rules),
      ...(deal.startsAt !== null && { starts_at: toMilliseconds(deal.startsAt) }),
      ...(deal.endsAt !== null && { ends_at: toMilliseconds(deal.endsAt) }),
      created_at: deal.createdAt.toISOString(),
      updated_at: deal.updatedAt.toISOString(),
    }),
  });
}

export const unknownDeal = () => notFound("deal");

/**
 * A deal in the form for publishers. Of its rules they learn only whether earlier purchases count
 * (`toProgramConfig`).
 */
export function toDealConfig(
  deal: StoredDeal & { readonly retroactiveSpans: readonly RetroactiveSpan[] },
): DealConfig {
  const { retroactive } = deal.rules;
  const history = deal.retroactiveSpans.length > 1 && { retroactive_history: [...deal.retroactiveSpans] };
  return {
    v: 1,
    kind: "deal",
    id: encodeId("deal", deal.id),
    revision: deal.revision,
    ...(deal.deletedAt !== null && history),
    record:
      deal.deletedAt !== null
        ? null
        : {
            name: deal.name,
            reward_config: deal.rewardConfig,
            display_content: deal.displayContent,
            ...(deal.startsAt !== null && { starts_at: deal.startsAt }),
            ...(deal.endsAt !== null && { ends_at: deal.endsAt }),
            ...(retroactive !== undefined && { retroactive }),
            ...history,
            created_at: deal.createdAt.toISOString(),
            updated_at: deal.updatedAt.toISOString(),
          },
  };
}
