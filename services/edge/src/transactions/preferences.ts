/** What a caller of `transaction/ingest` prefers (RFC 7240). */
export interface Preferences {
  /** `respond-async`: the answer comes as soon as the events are stored. */
  readonly respondAsync: boolean;
  /** `return=representation`: the answer says what became of each event. */
  readonly representation: boolean;
}

const NONE: Preferences = { respondAsync: false, representation: false };

/**
 * Preferences are a list with names without regard to case. Of one that is given twice the first counts, and those that
 * mean nothing here are passed over.
 *
 * Each character is looked at a few times. A regular expression for a whole preference took the cube of its length.
 * @param header several fields in one, with commas between them; undefined: there are none
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

/** `name`, `name=value` or `name="value"`, and perhaps parameters behind a semicolon, which mean nothing here. */
function readPreference(text: string): { name: string; value: string } | undefined {
  const [preference = ""] = text.split(";", 1);
  const equals = preference.indexOf("=");
  const name = (equals < 0 ? preference : preference.slice(0, equals)).trim().toLowerCase();
  if (name === "" || /\s/.test(name)) return undefined;
  const value = unquote(equals < 0 ? "" : preference.slice(equals + 1).trim());
  return value === undefined ? undefined : { name, value };
}

/** Undefined for a text with a quotation mark where none may be. */
function unquote(text: string): string | undefined {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const value = isQuoted ? text.slice(1, -1) : text;
  return value.includes('"') ? undefined : value;
}
