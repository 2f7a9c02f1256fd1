import type { Static } from "typebox";
import { Type } from "../type-builder.ts";
import { named } from "./fields.ts";

export const ProgramReward = named(
  "ProgramReward",
  "What a full card gives: the purchase back, or a fixed amount.",
).Union([
  Type.Object({ type: Type.Literal("refund") }),
  Type.Object({ type: Type.Literal("fixed-reward"), amount: Type.Integer({ minimum: 0 }) }),
]);
export type ProgramReward = Static<typeof ProgramReward>;

export const DisplayContent = named(
  "DisplayContent",
  "For rendering in a user interface. `image` and `logo` are URLs.",
).Object({
  title: Type.String(),
  image: Type.String(),
  logo: Type.Optional(Type.String()),
  summary: Type.String(),
  description: Type.String(),
  terms: Type.String(),
  reward: Type.Optional(Type.Object({ formatted: Type.String() })),
});

export const LoyaltyProgram = named(
  "LoyaltyProgram",
  "A stamp card, configured on the central platform.",
).Object({
  id: Type.String(),
  name: Type.String(),
  qualifying_threshold: Type.Integer({ minimum: 1 }),
  reward_config: ProgramReward,
  display_content: DisplayContent,
  created_at: Type.String(),
  updated_at: Type.String(),
});

export const DealReward = named(
  "DealReward",
  "A share of the purchase, at most `max_amount`, or a fixed amount.",
).Union([
  Type.Object({
    type: Type.Literal("percent"),
    percent: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
    max_amount: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  Type.Object({
    type: Type.Literal("fixed"),
    amount: Type.Integer({ minimum: 0 }),
    currency: Type.String(),
  }),
]);
export type DealReward = Static<typeof DealReward>;

export const Deal = named("Deal", "An offer that a member can save as a clip.").Object({
  id: Type.String(),
  name: Type.String(),
  reward_config: DealReward,
  display_content: DisplayContent,
  starts_at: Type.Optional(Type.String()),
  ends_at: Type.Optional(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
});
