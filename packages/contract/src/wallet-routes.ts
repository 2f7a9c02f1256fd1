import { ById, pageOf } from "./schemas/fields.ts";
import * as stamp from "./schemas/stamp.ts";
import * as wallet from "./schemas/wallet.ts";

/**
 * The routes for members' cards, clips and rewards: a part of the table `ROUTES`, which explains the fields.
 */
export const WALLET_ROUTES = {
  "wallet.stamp-collection/create": {
    access: "write",
    summary: "Enrol a member in a loyalty program",
    request: wallet.StampCollectionCreate,
    answers: { 200: wallet.StampCollection },
    notFound: ["member", "loyalty_program"],
    conflicts: ["already_enrolled", "too_many_enrolments"],
    refusalData: { 409: wallet.EnrolmentConflict },
    repeatable: { secretInAnswer: false },
  },
  "wallet.stamp-collection/get": {
    access: "read",
    summary: "Read one stamp collection",
    request: ById,
    answers: { 200: wallet.StampCollection },
    notFound: ["stamp_collection"],
  },
  "wallet.stamp-collection/list": {
    access: "read",
    summary: "List a member's stamp collections, oldest first",
    request: wallet.WalletList,
    answers: { 200: pageOf(wallet.StampCollection) },
    notFound: ["member"],
  },
  "qualifying-purchase/list": {
    access: "read",
    summary: "List the stamps of a stamp collection with their transactions, oldest first",
    request: stamp.QualifyingPurchaseList,
    answers: { 200: pageOf(stamp.QualifyingPurchase) },
    notFound: ["stamp_collection"],
  },
  "wallet.clip/save": {
    access: "write",
    summary: "Save a deal for a member",
    request: wallet.ClipSave,
    answers: { 200: wallet.Clip },
    notFound: ["member", "deal"],
    conflicts: ["already_clipped", "deal_ended", "too_many_clips"],
    refusalData: { 409: wallet.ClipConflict },
    repeatable: { secretInAnswer: false },
  },
  "wallet.clip/list": {
    access: "read",
    summary: "List a member's clips, oldest first",
    request: wallet.WalletList,
    answers: { 200: pageOf(wallet.Clip) },
    notFound: ["member"],
  },
  "wallet.cashback/list": {
    access: "read",
    summary: "List a member's cashbacks, oldest first",
    request: wallet.WalletList,
    answers: { 200: pageOf(wallet.Cashback) },
    notFound: ["member"],
  },
  "wallet.redemption/list": {
    access: "read",
    summary: "List a member's redemptions with their stamps and cashbacks, oldest first",
    request: wallet.WalletList,
    answers: { 200: pageOf(stamp.Redemption) },
    notFound: ["member"],
  },
} as const;
