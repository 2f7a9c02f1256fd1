import { ApiError, LIMITS } from "#contract";
import { badRequest } from "#http";
import type { ChangeForm } from "./changed-fields.ts";
import type { Body, Kind } from "./endpoint.ts";
import { type Identity, mayActAs, type Role } from "./roles.ts";

/** A route of an API that the console may call: for which role, and how the audit tells it. Other routes are forbidden. */
export interface Right {
  /** The least role that may use it. */
  readonly role: Role;
  readonly kind: Kind;
  /** The access that the organisation's token needs. */
  readonly access: "read" | "write";
  /** Fields of the request whose ids name its subject. */
  readonly subject?: readonly string[];
  /** The request may name a member by ref, which the audit does not keep: it keeps the ids in the answer. */
  readonly namedByAnswer?: true;
  /** The answer has payments, without those of other organisations' purchases (`payments.ts`). */
  readonly hasPayments?: true;
  /** Of a change: its permitted fields, with the least role for each. */
  readonly fields?: Readonly<Record<string, Role>>;
  /** Of a change of a record: its form, and the route that reads the record, for the audit's old values. */
  readonly changes?: { readonly form: ChangeForm; readonly read: string };
}

const support = (kind: Kind, ...subject: string[]): Right => ({
  role: "support",
  kind,
  access: "read",
  subject,
});
/** A change for operators, about the first of its fields. */
const operators = (...fields: [subject: string, ...others: string[]]): Right => ({
  role: "operator",
  kind: "change",
  access: "write",
  subject: [fields[0]],
  fields: everyFor("operator", fields),
});
const everyFor = (role: Role, fields: readonly string[]): Record<string, Role> =>
  Object.fromEntries(fields.map((field) => [field, role]));

/**
 * Routes of `publisher.v1`. Left out are `transaction/ingest`, whose events hold card data; tokens, and routes that answer with
 * a secret; changes of members, which belong to the integrator; exports of all members.
 */
export const PUBLISHER_RIGHTS: Readonly<Record<string, Right>> = {
  "member/find": { ...support("look-up"), namedByAnswer: true },
  "id/resolve": support("look-up", "id"),
  "member/get": { ...support("look-up", "id", "member_base_id"), namedByAnswer: true },
  "member-base/get": support("read"),
  "member-base/list": support("read"),
  "transaction/get": support("look-up", "external_id"),
  "transaction/trace": support("look-up", "external_id"),
  "transaction/list": support("look-up", "member_id"),
  "transaction.rejection/list": support("look-up", "member_id", "external_id"),
  "transaction.batch/get": support("read"),
  "wallet.stamp-collection/get": support("look-up", "id"),
  "wallet.stamp-collection/list": support("look-up", "member_id"),
  "wallet.clip/list": support("look-up", "member_id"),
  "wallet.cashback/list": support("look-up", "member_id"),
  "wallet.redemption/list": support("look-up", "member_id"),
  "qualifying-purchase/list": support("look-up", "stamp_collection_id"),
  "event/list": support("look-up", "transaction_ref"),
  "loyalty-program/get": support("read"),
  "loyalty-program/list": support("read"),
  "deal/get": support("read"),
  "deal/list": support("read"),
  "webhook/get": support("read"),
  "webhook/list": support("read"),
  "webhook.delivery/get": support("read"),
  "webhook.delivery/list": support("read"),
  "webhook/update": {
    ...operators("id", "state"),
    // Operators pause and enable; administrators also change which events go where.
    fields: {
      ...everyFor("operator", ["id", "state"]),
      ...everyFor("administrator", ["url", "events", "description"]),
    },
    changes: { form: "update", read: "webhook/get" },
  },
  "webhook/test": operators("id"),
  "webhook/retry": operators("id"),
  "webhook.delivery/replay": operators("webhook_id", "event_ids", "since", "until", "failed"),
};

const programs: Right = { role: "operator", kind: "read", access: "read", subject: ["id", "name"] };
/** A change of a record of the platform, read by `read`. */
const programChange = (form: ChangeForm, read: string, ...fields: string[]): Right => ({
  role: "administrator",
  kind: "change",
  access: "write",
  subject: ["id", "name"],
  fields: everyFor("administrator", ["id", ...fields]),
  changes: { form, read },
});
const OFFER = ["name", "reward_config", "display_content", "rules"];

/**
 * Routes of `platform.v1`, with the platform's token. `purchase/explain` is left out: the platform knows no organisations, and
 * would explain purchases of all. `explain` (explain.ts) asks about purchases of the caller's organisation only.
 */
export const PLATFORM_RIGHTS: Readonly<Record<string, Right>> = {
  "loyalty-program/get": programs,
  "loyalty-program/list": programs,
  "loyalty-program/upsert": programChange("replace", "loyalty-program/get", ...OFFER, "qualifying_threshold"),
  "loyalty-program/delete": programChange("delete", "loyalty-program/get"),
  "loyalty-program/dry-run": programs,
  "deal/get": programs,
  "deal/list": programs,
  "deal/upsert": programChange("replace", "deal/get", ...OFFER, "starts_at", "ends_at"),
  "deal/delete": programChange("delete", "deal/get"),
  "deal/dry-run": programs,
  "retailer/get": programs,
  "retailer/list": programs,
  "retailer/upsert": programChange(
    "replace",
    "retailer/get",
    "name",
    "merchant_ids",
    "statement_descriptors",
  ),
  "retailer/delete": programChange("delete", "retailer/get"),
  "payment/get": { ...support("look-up", "payment_id"), hasPayments: true },
  "payment/list": { ...support("look-up", "retailer_id"), hasPayments: true },
};

/**
 * Refuses a request by its body, before anything is written or done: fields that the caller's role may not change, and look-ups
 * without a subject, which would read all members with no name in the audit.
 */
export function admitBody(right: Right, body: Body, { role }: Pick<Identity, "role">): void {
  const { kind, subject = [], fields, namedByAnswer } = right;
  if (kind === "look-up" && namedByAnswer !== true && subjectOf(right, body) === undefined) {
    const message = `say what this is about: ${subject.join(" or ")}`;
    throw badRequest(message, { path: `/${subject[0]}`, message: "is missing" });
  }
  if (fields === undefined) return;
  for (const field of Object.keys(body)) {
    const least = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (least === undefined) {
      const message = "is not a field that can be changed here";
      throw badRequest(`/${field} ${message}`, { path: `/${field}`, message });
    }
    if (!mayActAs(role, least)) {
      const data = { reason: "role", role: least, field };
      throw new ApiError("authorization_error", `/${field} is for the role ${least}`, data);
    }
  }
}

/** Whether the request names its whole subject: by an id of ours or an `external_id`, and not by a ref. */
export function isNamed({ namedByAnswer }: Right, body: Body): boolean {
  return namedByAnswer !== true || (typeof body.id === "string" && body.ref === undefined);
}

/** The subject of a request: the first field that has one. */
export function subjectOf({ subject = [] }: Right, body: Body): string | undefined {
  const values = subject.map((field) => body[field]).filter((value) => typeof value === "string");
  const named = values.find((value) => value !== "") as string | undefined;
  return named?.toWellFormed().replaceAll("\0", "\u{FFFD}").slice(0, LIMITS.consoleAuditSubjectLength);
}
