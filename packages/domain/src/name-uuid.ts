import { hash } from "node:crypto";

/**
 * The UUID of a name: the first 128 bits of its SHA-256, marked as version 8 (RFC 9562, section
 * 5.8). The same name gives the same id in every process and on every retry. Names include their kind, as in
 * `cashback:<redemption>`, so that two kinds of record never share one.
 */
export function nameUuid(name: string): string {
  return dashed(hash("sha256", name, "hex").slice(0, 32));
}

/**
 * The UUIDv7 of a name: its time is that of a transaction's id, and 62 bits are from the name's SHA-256. If a restored database finds a
 * fact again, the fact has the id that receivers know.
 * @param place orders ids of one time
 */
export function nameUuidAt(name: string, transactionId: string, place = 0): string {
  const order = (place & 0xfff).toString(16).padStart(3, "0");
  return `${transactionId.slice(0, 13)}-7${order}${dashed(hash("sha256", name, "hex").slice(0, 32)).slice(18)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a value of a message is a UUID as all services write it. */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

/** The lowest and the highest UUID (RFC 9562, sections 5.9 and 5.10): no id of a record is one of them. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000";
export const MAX_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The time of a UUIDv7, in milliseconds since 1970. */
export function uuidTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The lowest UUID that has this time, in milliseconds since 1970: below it are only ids of earlier times. */
export function lowestUuidAt(milliseconds: number): string {
  const hex = milliseconds.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Puts version 8 and the variant (binary 10) into 32 hex digits. */
function dashed(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return (
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-` +
    `${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  );
}
