const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
/** `{` and `}`; with this bit, `[` and `]` equal them. No other byte outside strings of a JSON text does. */
const OPENING = 0x7b;
const CLOSING = 0x7d;
const CASE = 0x20;

/** The result of one pass over a text, without parsing it. */
interface TextShape {
  /** Members of objects: the colons outside strings. */
  readonly members: number;
  /** The nesting depth of objects and arrays. */
  readonly depth: number;
}

/**
 * Counts members and depth: about a third of the time of parsing, 0.2 µs for a card transaction. The text
 * need not be JSON; then the counts mean nothing, but `depth` still bounds the work of JSON.parse.
 * @param depthMax where it stops: a deeper text has this depth plus one
 */
export function shapeOf(bytes: Uint8Array, depthMax: number): TextShape {
  let members = 0;
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      i = endOfString(bytes, i);
    } else if (byte === COLON) {
      members++;
    } else if ((byte | CASE) === OPENING) {
      depth++;
      if (depth > deepest) deepest = depth;
      if (depth > depthMax) break;
    } else if ((byte | CASE) === CLOSING) {
      depth--;
    }
  }
  return { members, depth: deepest };
}

/**
 * Finds a repeated key in an object of the body. JSON.parse silently keeps the last one. A proxy in front of
 * us may keep the first, and then two systems act on two different requests (RFC 8259, section 4).
 * @param bytes the parsed bytes; must be valid JSON in UTF-8
 * @param shape its shape
 * @param value the result of JSON.parse; validated, so that it has no very long names
 * @returns a JSON pointer to the repeated key; undefined if there is none
 */
export function findRepeatedKey(
  bytes: Uint8Array,
  { members }: TextShape,
  value: unknown,
): string | undefined {
  // Searches for the key itself only if the counts differ.
  return members === countKeys(value)
    ? undefined
    : locate(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

/** The index of the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

/** The number of keys after parsing. */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  // All values in one call: reading each by its name costs more than the rest of the count.
  const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let keys = Array.isArray(value) ? 0 : values.length;
  for (const inner of values) if (typeof inner === "object" && inner !== null) keys += countKeys(inner);
  return keys;
}

/** An open object or array at the current place in the text. */
interface Open {
  /** The keys so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  awaitsKey: boolean;
  /** The current key or index. */
  at: string | number;
}

/** Looks at bytes, because a pattern has no bound on the length of a string, and one match for each takes seconds. */
function locate(bytes: Buffer): string | undefined {
  const open: Open[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      const start = i;
      i = endOfString(bytes, start);
      const top = open.at(-1);
      if (top?.awaitsKey && isRepeated(top, bytes.toString("utf8", start, i + 1))) return pointerTo(open);
    } else if (byte === COMMA) {
      goOn(open.at(-1));
    } else if ((byte | CASE) === OPENING) {
      const names = byte === OPENING ? new Set<string>() : undefined;
      open.push({ names, awaitsKey: names !== undefined, at: names === undefined ? 0 : "" });
    } else if ((byte | CASE) === CLOSING) {
      open.pop();
    }
  }
  return undefined;
}

/** Notes the next key of an object. */
function isRepeated(object: Open, written: string): boolean {
  object.at = JSON.parse(written) as string;
  object.awaitsKey = false;
  if (object.names?.has(object.at)) return true;
  object.names?.add(object.at);
  return false;
}

function goOn(top: Open | undefined): void {
  if (top === undefined) return;
  if (top.names === undefined) top.at = Number(top.at) + 1;
  else top.awaitsKey = true;
}

/** A JSON pointer (RFC 6901). */
function pointerTo(open: readonly Open[]): string {
  return open.map(({ at }) => `/${String(at).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
