import { ApiError } from "#contract";
import type { Fragment, Sql } from "#postgres";
import type { Settings } from "#runtime";

/**
 * The most records of each kind that may exist at a time. They use resources that all organisations share:
 * every event is matched against the webhooks, and every purchase of a member carries its enrolments and open
 * clips to the platform.
 */
export interface Bounds {
  /** For each organisation. */
  readonly webhooks: number;
  /** For each organisation, neither revoked nor expired. */
  readonly tokens: number;
  /** For each organisation, without the deleted ones. */
  readonly memberbases: number;
  /** For each member. */
  readonly enrolments: number;
  /** For each member. */
  readonly openClips: number;
}

export function boundsOf(settings: Settings): Bounds {
  return {
    webhooks: settings.maxWebhooks,
    tokens: settings.maxTokens,
    memberbases: settings.maxMemberbases,
    enrolments: settings.maxEnrolments,
    openClips: settings.maxOpenClips,
  };
}

type OfOrganisation = "webhooks" | "tokens" | "memberbases";

/**
 * Call it before making one more. It takes no lock: concurrent requests may exceed the bound by their number,
 * which is harmless. With a lock, all requests of an organisation would wait, each with a connection.
 * @throws ApiError `conflict`
 */
export async function refuseWithoutRoom(
  sql: Sql,
  organisationId: string,
  what: OfOrganisation,
  bounds: Bounds,
): Promise<void> {
  const limit = bounds[what];
  const [{ counted }] = await sql<[{ counted: number }]>`
    ${counting(sql, organisationId, what, limit)}`;
  if (counted >= limit) throw tooMany(what, limit);
}

/** Each uses an index without rows that do not count, such as revoked tokens: those may be any number. */
function counting(sql: Sql, organisationId: string, what: OfOrganisation, limit: number): Fragment {
  switch (what) {
    case "webhooks":
      return sql`
        select count(*) as counted from (
          select from webhooks where organisation_id = ${organisationId} limit ${limit}
        ) as up_to_the_bound`;
    case "tokens":
      // Reads the index twice: for tokens that never expire, and for those that have not expired yet.
      return sql`
        select count(*) as counted from (
          select from api_tokens
          where organisation_id = ${organisationId} and revoked_at is null and expires_at is null
          union all
          select from api_tokens
          where organisation_id = ${organisationId} and revoked_at is null and expires_at > now()
          limit ${limit}
        ) as up_to_the_bound`;
    case "memberbases":
      return sql`
        select count(*) as counted from (
          select from memberbases where organisation_id = ${organisationId} and deleted_at is null limit ${limit}
        ) as up_to_the_bound`;
  }
}

const ADVICE: Record<keyof Bounds, string> = {
  webhooks: "the organisation has as many webhooks as it may have: delete one, or give one more types",
  tokens: "the organisation has as many active tokens as it may have: revoke one",
  memberbases: "the organisation has as many memberbases as it may have: delete one",
  enrolments: "the member is enrolled in as many loyalty programs as it may be",
  openClips:
    "the member has as many clips as it may have that are open, or redeemed by a purchase that is not final",
};

const REASON = {
  webhooks: "too_many_webhooks",
  tokens: "too_many_tokens",
  memberbases: "too_many_memberbases",
  enrolments: "too_many_enrolments",
  openClips: "too_many_clips",
} as const satisfies Record<keyof Bounds, string>;

export function tooMany(what: keyof Bounds, limit: number): ApiError {
  return new ApiError("conflict", ADVICE[what], { reason: REASON[what], limit });
}
