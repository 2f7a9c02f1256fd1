import { parseJson } from "./parse-json.ts";

/** unreadable_message: no JSON in UTF-8; invalid_message: not the shell of a packed message. */
export const UNREAD_REASONS = ["unreadable_message", "invalid_message"] as const;
export type UnreadReason = (typeof UNREAD_REASONS)[number];

/**
 * The entries of a message `{"v":1,"<field>":[…]}`, unjudged, or why there are none. By hand, because a schema of the
 * whole message would judge its entries too, all or nothing.
 */
export function readPacked(data: Uint8Array, field: string): readonly unknown[] | UnreadReason {
  const message = parseJson(data);
  if (message === undefined) return "unreadable_message";
  if (typeof message !== "object" || message === null) return "invalid_message";
  const { v, [field]: entries } = message as Record<string, unknown>;
  return v === 1 && Array.isArray(entries) && entries.length > 0 ? entries : "invalid_message";
}
