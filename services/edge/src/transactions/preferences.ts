/** The preferences of a `transaction/ingest` caller (RFC 7240). */
export interface Preferences {
  /** `respond-async`: the answer comes as soon as the events are stored. */
  readonly respondAsync: boolean;
  /** `return=representation`: the answer has the outcome of each event. */
  readonly representation: boolean;
}

const NONE: Preferences = { respondAsync: false, representation: false };

/**
 * Reads a list of preferences; case does not matter in their names. The first of duplicates counts, and
 * preferences of other names are ignored.
 *
 * It looks at each character a few times. A regular expression for a whole preference took the cube of its
 * length.
 * @param header several fields joined with commas; undefined: there are none
 */
export function readPreferences(header: string | undefined): Preferences {
  if (header === undefined || header === "") return NONE;
  const given = new Map<string, string>();
  for (const text of header.split(",")) {
    const preference = readPreference(text);
    if (preference !== undefined && !given.has(preference.name)) given.set(preference.name, preference.value);
  }
  return {
    respondAsync: given.has("respond-async"),
    representation: given.get("return")?.toLowerCase() === "representation",
  };
}

/** `name`, `name=value` or `name="value"`; parameters after a semicolon are ignored. */
function readPreference(text: string): { name: string; value: string } | undefined {
  const [preference = ""] = text.split(";", 1);
  const equals = preference.indexOf("=");
  const name = (equals < 0 ? preference : preference.slice(0, equals)).trim().toLowerCase();
  if (name === "" || /\s/.test(name)) return undefined;
  const value = unquote(equals < 0 ? "" : preference.slice(equals + 1).trim());
  return value === undefined ? undefined : { name, value };
}

/** Undefined for a text with a quotation mark in a wrong place. */
function unquote(text: string): string | undefined {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const value = isQuoted ? text.slice(1, -1) : text;
  return value.includes('"') ? undefined : value;
}
