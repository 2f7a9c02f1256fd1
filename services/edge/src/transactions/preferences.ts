/** What a caller of `transaction/ingest` prefers (RFC 7240). */
export interface Preferences {
  /** `respond-async`: the answer comes as soon as the events are stored. */
  readonly respondAsync: boolean;
  /** `return=representation`: the answer says what became of each event. */
  readonly representation: boolean;
}

const NONE: Preferences = { respondAsync: false, representation: false };

const PREFERENCE = /^\s*([^\s=;]+)\s*(?:=\s*("?)([^";]*?)\2\s*)?(?:;|$)/;

/**
 * Preferences are a list with names without regard to case. Of one that is given twice the first counts, and those that
 * mean nothing here are passed over.
 * @param header several fields in one, with commas between them; undefined: there are none
 */
export function readPreferences(header: string | undefined): Preferences {
  if (header === undefined || header === "") return NONE;
  const given = new Map<string, string>();
  for (const text of header.split(",")) {
    const [, name, , value = ""] = PREFERENCE.exec(text) ?? [];
    const key = name?.toLowerCase();
    if (key !== undefined && !given.has(key)) given.set(key, value);
  }
  return {
    respondAsync: given.has("respond-async"),
    representation: given.get("return")?.toLowerCase() === "representation",
  };
}
