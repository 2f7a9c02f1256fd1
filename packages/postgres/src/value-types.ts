import type postgres from "postgres";

/*
 * postgres.js learns which types are arrays by asking each new connection, and no code catches an error of
 * that query: when the server went away at that moment, an unhandled rejection ended the whole process. So it
 * does not ask (`fetch_types`), and the array types of our statements are listed here.
 */

/** Gives an element's text, as the server reads it in quotes. */
type Serialize = (value: unknown) => string;
type Parse = (text: string) => unknown;

interface ArrayType {
  /** OID of the array type, as in the server's `pg_type`; those of built-in types never change. */
  readonly oid: number;
  /** Its elements are numbers or UUIDs, whose texts need no quotes. Every batch has arrays of thousands of them. */
  readonly isBare?: true;
  readonly serialize?: Serialize;
  readonly parse?: Parse;
}

const toIso: Serialize = (value) => (value instanceof Date ? value : new Date(String(value))).toISOString();

/** Elements are parsed like single values of their type. */
const ARRAY_TYPES: Readonly<Record<string, ArrayType>> = {
  bool: { oid: 1000, parse: (text) => text === "t" },
  bytea: { oid: 1001, serialize: writeBytea, parse: parseBytea },
  name: { oid: 1003 },
  int2: { oid: 1005, isBare: true, parse: Number },
  int4: { oid: 1007, isBare: true, parse: Number },
  text: { oid: 1009 },
  varchar: { oid: 1015 },
  int8: { oid: 1016, parse: parseInt8 },
  float8: { oid: 1022, parse: Number },
  oid: { oid: 1028, parse: Number },
  timestamptz: { oid: 1185, serialize: toIso, parse: (text) => new Date(text) },
  uuid: { oid: 2951, isBare: true },
};

/** For the option `types` of postgres.js. */
export function arrayTypes(): Record<string, postgres.PostgresType> {
  return Object.fromEntries(
    Object.entries(ARRAY_TYPES).map(
      ([name, { oid, isBare, serialize = String, parse = (text: string) => text }]) => {
        const write = (values: readonly unknown[]) =>
          isBare ? writeBareArray(values) : writeArray(values, serialize);
        return [
          `${name}Array`,
          {
            to: oid,
            from: [oid],
            serialize: (values: unknown) => (Array.isArray(values) ? write(values) : values),
            parse: (text: string) => readArray(text, parse),
          },
        ];
      },
    ),
  );
}

/**
 * Any other value for such an element is quoted, so that it is one element whatever it contains: the server
 * refuses it.
 */
function writeBareArray(values: readonly unknown[]): string {
  return values.every(isBareElement) ? `{${values.join(",")}}` : writeArray(values, String);
}

const BARE = /^[\da-f-]+$/i;

function isBareElement(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && BARE.test(value));
}

function writeArray(values: readonly unknown[], serialize: Serialize): string {
  const elements = values.map((value) =>
    value === null || value === undefined ? "null" : `"${serialize(value).replace(/[\\"]/g, "\\$&")}"`,
  );
  return `{${elements.join(",")}}`;
}

/** One element of the server's text: in quotes with escapes, or bare. */
const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,]+)/gs;

/** Arrays of one dimension, which is all that our statements read. */
function readArray(text: string, parse: Parse): unknown[] {
  if (text === "{}") return [];
  const inner = text.slice(1, -1);
  return Array.from(inner.matchAll(ELEMENT), ([, quoted, bare]) => {
    if (quoted !== undefined) return parse(quoted.replace(/\\(.)/gs, "$1"));
    return bare === "NULL" ? null : parse(bare as string);
  });
}

/**
 * For the option `types` of postgres.js, in place of its own. A serializer must not change a serialized
 * value: when the server refuses a prepared plan because a table changed meanwhile, postgres.js 3.4.9 sends
 * the statement again, and serializes its parameters a second time. Its own types then make false of true,
 * and other bytes of bytes. Dates and numbers stay what they are, and so do arrays (`arrayTypes`).
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
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} does not fit a JavaScript number`);
  return value;
}

function parseBytea(text: string): Buffer {
  return Buffer.from(text.slice(2), "hex");
}

/** @throws TypeError if it is a text: bytes must be given as bytes */
function writeBytea(value: unknown): string {
  if (typeof value !== "string") return `\\x${Buffer.from(value as Uint8Array).toString("hex")}`;
  if (!value.startsWith("\\x")) throw new TypeError("a bytea is given as a Uint8Array, not as text");
  return value;
}

function writeJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
