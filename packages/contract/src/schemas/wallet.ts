import type { TSchema } from "typebox";
import { Type } from "../type-builder.ts";
import { closed, Id, named, nullable, Pagination } from "./fields.ts";

export const StampCollection = named("StampCollection", "A member's enrolment in a loyalty program.").Object({
  id: Type.String(),
  loyalty_program_id: Type.String(),
  created_at: Type.String(),
  unredeemed_purchases: Type.Integer({ minimum: 0 }),
});

export const StampCollectionCreate = closed({ loyalty_program_id: Id, member_id: Id });
/**
 * `data` of `already_enrolled`: the existing enrolment. `data` of `too_many_enrolments`: the most there may
 * be.
 */
export const EnrolmentConflict = Type.Object({
  stamp_collection_id: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer()),
});

export const Clip = named("Clip", "A deal that a member has saved; open until `redeemed_at`.").Object({
  id: Type.String(),
  deal_id: Type.String(),
  member_id: Type.String(),
  created_at: Type.String(),
  redeemed_at: Type.Optional(Type.String()),
});

export const ClipSave = closed({ deal_id: Id, member_id: Id });

/**
 * `data` of `already_clipped`: the open clip. `data` of `deal_ended`: when the deal ended. `data` of
 * `too_many_clips`: the most there may be.
 */
export const ClipConflict = Type.Object({
  clip_id: Type.Optional(Type.String()),
  ends_at: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer()),
});

const sourceOf = <Own extends TSchema>(own: Own) =>
  Type.Union([
    Type.Object({ type: Type.Literal("clip"), clip_id: own, deal_id: Type.String() }),
    Type.Object({
      type: Type.Literal("loyalty-program-redemption"),
      loyalty_program_id: Type.String(),
      stamp_collection_id: own,
      redemption_id: own,
    }),
  ]);

/** In the form of events. */
export const CashbackSource = named("CashbackSource", "What the cashback is for.").of(
  sourceOf(Type.String()),
);
/**
 * The same in the form of answers: ids of the member's records, which several purchases may share, are null
 * once the member is deleted.
 */
export const RewardSource = sourceOf(nullable(Type.String()));

export const Reward = named("Reward", "A cashback as its transaction shows it.").Object({
  id: Type.String(),
  state: Type.Enum(["pending", "cleared", "reverted"]),
  amount: Type.Integer({ minimum: 0 }),
  currency: Type.String(),
  source: RewardSource,
  created_at: Type.String(),
  cleared_at: Type.Optional(Type.String()),
  reverted_at: Type.Optional(Type.String()),
});

export const Cashback = named("Cashback", "Money for a member, from a clip or a full stamp card.").Object({
  transaction_id: Type.String(),
  transaction_ref: Type.String(),
  ...Reward.properties,
});

/** Lists a member's stamp collections, clips, cashbacks or redemptions, oldest first. */
export const WalletList = closed({ member_id: Id, pagination: Type.Optional(Pagination) });
