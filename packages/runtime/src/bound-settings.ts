import { LIMITS } from "#contract";
import { integer } from "./setting.ts";

/** How many there may be at a time of what takes part of something that all organisations share. */
export const BOUND_SETTINGS = {
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
    more: "All of them go to the platform with every purchase of the member. Redeemed ones do not count.",
    fallback: LIMITS.openClipsPerMember,
    min: 1,
    max: 10_000,
  }),
} as const;
