import type postgres from "postgres";

/**
 * For the option `types` of postgres.js, in place of its own. What writes a value must leave alone what is written already:
 * when the server refuses a prepared plan because a table changed meanwhile, postgres.js 3.4.9 sends the statement again by
 * itself, and writes the parameters that it has written before a second time. Its own types then make false of true, and
 * other bytes of bytes. Dates and numbers stay what they are, and so do arrays (`array-types.ts`).
 */
export function singleTypes(): Record<string, postgres.PostgresType> {
  return {
    // An int8 becomes a number: amounts end at 2^53 - 1, and stream sequences will never get that far.
    int8: { to: 20, from: [20], serialize: String, parse: parseInt8 },
    boolean: { to: 16, from: [16], serialize: String, parse: (text: string) => text === "t" },
    bytea: { to: 17, from: [17], serialize: writeBytea, parse: parseBytea },
    // A text is JSON already.
    json: { to: 114, from: [114, 3802], serialize: writeJson, parse: JSON.parse },
  };
}

/** @throws RangeError past 2^53 - 1 */
export function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} does not fit a JavaScript number`);
  return value;
}

export function parseBytea(text: string): Buffer {
  return Buffer.from(text.slice(2), "hex");
}

/** @throws TypeError if it is a text: bytes are given as bytes */
export function writeBytea(value: unknown): string {
  if (typeof value !== "string") return `\\x${Buffer.from(value as Uint8Array).toString("hex")}`;
  if (!value.startsWith("\\x")) throw new TypeError("a bytea is given as a Uint8Array, not as text");
  return value;
}

function writeJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
