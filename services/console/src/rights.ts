import type { Body, Kind } from "./endpoint.ts";
import type { Role } from "./roles.ts";

/** Who may use a route of an API through the console, and what the audit says of it. A route that is not here is forbidden. */
export interface Right {
  /** The least role that may use it. */
  readonly role: Role;
  readonly kind: Kind;
  /** The access that it needs of the organisation's token. */
  readonly access: "read" | "write";
  /** Fields of the request that name, in ids, what it is about. */
  readonly subject?: readonly string[];
  /** The request may name a member by ref, which is not written down: the ids in the answer are. */
  readonly namedByAnswer?: true;
}

const support = (kind: Kind, ...subject: string[]): Right => ({
  role: "support",
  kind,
  access: "read",
  subject,
});
const change = (role: Role, ...subject: string[]): Right => ({
  role,
  kind: "change",
  access: "write",
  subject,
});

/**
 * Routes of `publisher.v1`. Not here, and so not to be had: `transaction/ingest`, whose events hold card data; tokens and
 * what answers with a secret; changes of members, which are the integrator's; exports of everybody.
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
  "webhook/update": change("operator", "id"),
  "webhook/test": change("operator", "id"),
  "webhook/retry": change("operator", "id"),
  "webhook.delivery/replay": change("operator", "webhook_id"),
};

const programmes = (kind: Kind, access: "read" | "write"): Right => ({
  role: kind === "change" ? "administrator" : "operator",
  kind,
  access,
  subject: ["id", "name"],
});

/**
 * Routes of `platform.v1`, with the platform's token. `purchase/explain` is not here: the platform knows no organisations, and
 * would explain anybody's purchase. `explain` (explain.ts) asks it about a purchase of the caller's own organisation.
 */
export const PLATFORM_RIGHTS: Readonly<Record<string, Right>> = {
  "loyalty-program/get": programmes("read", "read"),
  "loyalty-program/list": programmes("read", "read"),
  "loyalty-program/upsert": programmes("change", "write"),
  "loyalty-program/delete": programmes("change", "write"),
  "loyalty-program/dry-run": programmes("read", "read"),
  "deal/get": programmes("read", "read"),
  "deal/list": programmes("read", "read"),
  "deal/upsert": programmes("change", "write"),
  "deal/delete": programmes("change", "write"),
  "deal/dry-run": programmes("read", "read"),
  "retailer/get": programmes("read", "read"),
  "retailer/list": programmes("read", "read"),
  "retailer/upsert": programmes("change", "write"),
  "retailer/delete": programmes("change", "write"),
};

/** Whether the request itself says all that it is about: by an id of ours or by an `external_id`, and not by a ref. */
export function isNamed({ namedByAnswer }: Right, body: Body): boolean {
  return namedByAnswer !== true || (typeof body.id === "string" && body.ref === undefined);
}

/** What a request is about: the first field that names it. */
export function subjectOf({ subject = [] }: Right, body: Body): string | undefined {
  const values = subject.map((field) => body[field]).filter((value) => typeof value === "string");
  return values[0] as string | undefined;
}
