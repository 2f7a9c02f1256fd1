import { STATUS_CODES } from "node:http";

/** The content type of an answer that names none. */
export const JSON_TYPE = "application/json";
/** A 304 has no body; headers about a body would describe one that is not sent. */
export const NOT_MODIFIED = 304;

const lines = new Map<number, string>();

/** `404` → `"404 Not Found"`. */
export function statusLine(status: number): string {
  let line = lines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? "Unknown"}`;
    lines.set(status, line);
  }
  return line;
}
