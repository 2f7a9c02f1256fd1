import { LIMITS } from "#contract";
import { decimal, integer, type Setting } from "./setting.ts";

/**
 * The most that one organisation, member or caller may have of shared resources: a part of the table
 * `SETTINGS`.
 */
export const SHARE_SETTINGS = {
  maxWebhooks: integer("STAMPEDE_MAX_WEBHOOKS", {
    about: "most webhooks of an organisation; one more is `conflict` `too_many_webhooks`",
    readers: ["edge"],
    unit: "webhooks",
    more: "Each gets every event of its types, and all share the slots of the processes that deliver.",
    fallback: LIMITS.webhooksPerOrganisation,
    min: 1,
    max: 10_000,
  }),
  maxTokens: integer("STAMPEDE_MAX_TOKENS", {
    about:
      "most tokens of an organisation that are neither revoked nor expired; one more is `too_many_tokens`",
    readers: ["edge"],
    unit: "tokens",
    more: "Each used token takes memory of the edges. `stampede token create` has no such limit.",
    fallback: LIMITS.tokensPerOrganisation,
    min: 1,
    max: 1_000_000,
  }),
  maxMemberbases: integer("STAMPEDE_MAX_MEMBERBASES", {
    about: "most memberbases of an organisation, without deleted ones; one more is `too_many_memberbases`",
    readers: ["edge"],
    unit: "memberbases",
    more: "`member/find` looks into each of them.",
    fallback: LIMITS.memberbasesPerOrganisation,
    min: 1,
    max: 1_000_000,
  }),
  maxEnrolments: integer("STAMPEDE_MAX_ENROLMENTS", {
    about: "most enrolments of a member; one more is `too_many_enrolments`",
    readers: ["edge"],
    unit: "enrolments",
    more: "All of them go to the platform with every purchase of the member.",
    fallback: LIMITS.enrolmentsPerMember,
    min: 1,
    max: 10_000,
  }),
  maxOpenClips: integer("STAMPEDE_MAX_OPEN_CLIPS", {
    about: "most open clips of a member; one more is `too_many_clips`",
    readers: ["edge"],
    unit: "clips",
    more: "All of them go to the platform with every purchase of the member. One that is redeemed counts until its purchase is final, because it may open again.",
    fallback: LIMITS.openClipsPerMember,
    min: 1,
    max: 10_000,
  }),
  // Off if 0.
  rateLimit: decimal("STAMPEDE_RATE_LIMIT", {
    about: "requests per second and API token in each edge process; 0 is no limit",
    readers: ["edge"],
    unit: "requests/s",
    more: "`0.5` is one in two seconds. N edge processes together allow N times as many.",
    fallback: 0,
    max: 1_000_000,
  }),
  rateLimitBurst: integer("STAMPEDE_RATE_LIMIT_BURST", {
    about: "requests that a token may make at once after a rest; 0 is as many as in one second",
    readers: ["edge"],
    unit: "requests",
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  eventRateLimit: decimal("STAMPEDE_EVENT_RATE_LIMIT", {
    about: "transactions per second and API token in each edge process; 0 is no limit",
    readers: ["edge"],
    unit: "events/s",
    more: "Counts the events of `transaction/ingest`, beside the limit of requests. N edge processes together allow N times as many.",
    fallback: 0,
    max: 1_000_000,
  }),
  eventRateLimitBurst: integer("STAMPEDE_EVENT_RATE_LIMIT_BURST", {
    about: "transactions that a token may send at once after a rest; 0 is as many as in one second",
    readers: ["edge"],
    unit: "events",
    more: "After a rest a larger request is accepted, too; the next one then waits longer.",
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  authFailuresPerMinute: integer("STAMPEDE_AUTH_FAILURES_PER_MINUTE", {
    about:
      "wrong tokens in a minute from one client address that each process answers with 401, before it answers with 429; 0 is no limit",
    readers: ["edge", "platform"],
    unit: "tokens/min",
    more: "An IPv6 address counts by its /64. A right token is accepted all the same; if the process does not know it yet, its look-up waits up to 50 ms.",
    fallback: 60,
    min: 0,
    max: 1_000_000,
  }),
} as const satisfies Record<string, Setting<unknown>>;
