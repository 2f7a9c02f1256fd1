import { Type } from "../type-builder.ts";
import { closed, Id, Pagination } from "./fields.ts";
import { DisplayContent } from "./loyalty-program.ts";

/** A share of the purchase, at most `max_amount`, or a fixed amount; amounts in minor units. */
export const DealReward = Type.Union([
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

export const Deal = Type.Object({
  id: Type.String(),
  name: Type.String(),
  reward_config: DealReward,
  display_content: DisplayContent,
  starts_at: Type.Optional(Type.String()),
  ends_at: Type.Optional(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
});

export const DealGet = closed({ id: Id });
export const DealList = closed({ pagination: Type.Optional(Pagination) });
