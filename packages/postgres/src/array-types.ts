import type postgres from "postgres";
import { parseBytea, parseInt8, writeBytea } from "./single-types.ts";

/*
 * postgres.js learns which types are arrays by asking each new connection, and nobody catches an error of
 * that question: when the server went away at that moment, an unhandled rejection ended the whole process. So
 * it does not ask (`fetch_types`), and the array types that our statements use are listed here.
 */

/** Gives an element's text, as the server reads it in quotes. */
type Serialize = (value: unknown) => string;
type Parse = (text: string) => unknown;

interface ArrayType {
  /** OID of the array type, as in the server's `pg_type`; those of built-in types never change. */
  readonly oid: number;
  readonly serialize?: Serialize;
  readonly parse?: Parse;
}

const toIso: Serialize = (value) => (value instanceof Date ? value : new Date(String(value))).toISOString();

/** Elements are parsed like single values of their type. */
const ARRAY_TYPES: Readonly<Record<string, ArrayType>> = {
  bool: { oid: 1000, parse: (text) => text === "t" },
  bytea: { oid: 1001, serialize: writeBytea, parse: parseBytea },
  name: { oid: 1003 },
  int2: { oid: 1005, parse: Number },
  int4: { oid: 1007, parse: Number },
  text: { oid: 1009 },
  varchar: { oid: 1015 },
  int8: { oid: 1016, parse: parseInt8 },
  float8: { oid: 1022, parse: Number },
  oid: { oid: 1028, parse: Number },
  timestamptz: { oid: 1185, serialize: toIso, parse: (text) => new Date(text) },
  uuid: { oid: 2951 },
};

/** For the option `types` of postgres.js. */
export function arrayTypes(): Record<string, postgres.PostgresType> {
  return Object.fromEntries(
    Object.entries(ARRAY_TYPES).map(([name, { oid, serialize = String, parse = (text: string) => text }]) => [
      `${name}Array`,
      {
        to: oid,
        from: [oid],
        serialize: (values: unknown) => (Array.isArray(values) ? writeArray(values, serialize) : values),
        parse: (text: string) => readArray(text, parse),
      },
    ]),
  );
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
