import { read, write } from "./route.ts";
import { ById, pageOf } from "./schemas/fields.ts";
import * as stamp from "./schemas/stamp.ts";
import * as wallet from "./schemas/wallet.ts";

/**
 * The routes for members' cards, clips and rewards: a part of the table `ROUTES`, which explains the fields.
 */
export const WALLET_ROUTES = {
  "wallet.stamp-collection/create": write(
    "Enrol a member in a loyalty program",
    wallet.StampCollectionCreate,
    wallet.StampCollection,
    {
      notFound: ["member", "loyalty_program"],
      conflicts: ["already_enrolled", "too_many_enrolments"],
      refusalData: { 409: wallet.EnrolmentConflict },
      repeatable: { secretInAnswer: false },
    },
  ),
  "wallet.stamp-collection/get": read("Read one stamp collection", ById, wallet.StampCollection, {
    notFound: ["stamp_collection"],
  }),
  "wallet.stamp-collection/list": read(
    "List a member's stamp collections, oldest first",
    wallet.WalletList,
    pageOf(wallet.StampCollection),
    { notFound: ["member"] },
  ),
  "qualifying-purchase/list": read(
    "List the stamps of a stamp collection with their transactions, oldest first",
    stamp.QualifyingPurchaseList,
    pageOf(stamp.QualifyingPurchase),
    { notFound: ["stamp_collection"] },
  ),
  "wallet.clip/save": write("Save a deal for a member", wallet.ClipSave, wallet.Clip, {
    notFound: ["member", "deal"],
    conflicts: ["already_clipped", "deal_ended", "too_many_clips"],
    refusalData: { 409: wallet.ClipConflict },
    repeatable: { secretInAnswer: false },
  }),
  "wallet.clip/list": read("List a member's clips, oldest first", wallet.WalletList, pageOf(wallet.Clip), {
    notFound: ["member"],
  }),
  "wallet.cashback/list": read(
    "List a member's cashbacks, oldest first",
    wallet.WalletList,
    pageOf(wallet.Cashback),
    { notFound: ["member"] },
  ),
  "wallet.redemption/list": read(
    "List a member's redemptions with their stamps and cashbacks, oldest first",
    wallet.WalletList,
    pageOf(stamp.Redemption),
    { notFound: ["member"] },
  ),
} as const;
