import type { SeededRandom } from "#domain";
import { faultyTexts } from "./faulty-text.ts";
import { child, type JsonSchema, type Resolve, strangeChild, typesOf } from "./json-schema.ts";

/** A body with one fault, as the text to send, and the place to which an issue must point. */
export interface SingleFault {
  readonly what: string;
  readonly text: string;
  /** JSON pointer; with `exact` false the issue may point at anything under it, since branches compete. */
  readonly path: string;
  readonly exact: boolean;
  /** Only the text is wrong: parsed, it is a valid body. */
  readonly onlyInText: boolean;
}

/** One place in a body: its schema, and how to replace its value. */
interface Site {
  readonly schema: JsonSchema;
  readonly path: string;
  readonly value: unknown;
  readonly exact: boolean;
  put(value: unknown): void;
}

interface Mutation {
  readonly what: string;
  readonly path: string;
  /** The validator chooses which of several rules the issue names: it points here or further in. */
  readonly vague?: boolean;
  readonly onlyInText?: boolean;
  apply(): void;
}

const LARGE_SHARE = 0.1;
const DEPTH = 3000;
/** Marks a place in the body that JSON.stringify cannot write; the text replaces the mark. */
const RAW_MARK = "\u0001raw\u0001";
const UNREADABLE = JSON.stringify(RAW_MARK);

/** Breaks one thing in a valid body; undefined if it found nothing to break there. */
export function makeSingleFault(
  validBody: unknown,
  schema: JsonSchema,
  resolve: Resolve,
  random: SeededRandom,
): SingleFault | undefined {
  const holder = { body: JSON.parse(JSON.stringify(validBody)) as unknown };
  const root: Site = {
    schema: resolve(schema),
    path: "",
    value: holder.body,
    exact: true,
    put(value) {
      holder.body = value;
    },
  };
  const site = random.pick([...sitesUnder(root, resolve)]);
  let raw = "";
  const mutations = mutationsAt(site, random, (text) => {
    raw = text;
    return RAW_MARK;
  });
  if (mutations.length === 0) return undefined;
  const mutation = random.pick(mutations);
  mutation.apply();
  const text = JSON.stringify(holder.body).replace(UNREADABLE, () => raw);
  const { what, path, vague = false, onlyInText = false } = mutation;
  return { what, text, path, exact: site.exact && !vague, onlyInText };
}

function* sitesUnder(site: Site, resolve: Resolve): Generator<Site> {
  yield site;
  const { schema, value, path, exact } = site;
  if (typeof value !== "object" || value === null) return;
  // The validator chooses the branch that an error comes from.
  const sure = exact && (isPlain(schema) || schema.properties !== undefined);
  for (const [name, inner] of Object.entries(value)) {
    const innerSchema = innerSchemaOf(schema, name);
    const put = (replacement: unknown) => setOwn(value, name, replacement);
    const at = sure ? child(path, name) : path;
    yield* sitesUnder({ schema: resolve(innerSchema), path: at, value: inner, exact: sure, put }, resolve);
  }
}

function innerSchemaOf(schema: JsonSchema, name: string): JsonSchema {
  const { properties, additionalProperties, items } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name] as JsonSchema;
  return items ?? (typeof additionalProperties === "object" ? additionalProperties : {});
}

function isPlain(schema: JsonSchema): boolean {
  return schema.oneOf === undefined && schema.anyOf === undefined && schema.allOf === undefined;
}

function setOwn(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

type WriteRaw = (text: string) => string;

function mutationsAt(site: Site, random: SeededRandom, raw: WriteRaw): Mutation[] {
  const { schema, path, value } = site;
  const to = (what: string, replacement: () => unknown, at = path): Mutation => ({
    what,
    path: at,
    apply: () => site.put(replacement()),
  });
  const types = typesOf(schema);
  const mutations = wrongTypes(types).map((wrong) => to(`wrong type ${JSON.stringify(wrong)}`, () => wrong));
  if (types.length > 0) mutations.push(tooDeep(site, types, raw));
  if (types.includes("string") && typeof value === "string") {
    for (const [what, text] of faultyTexts(schema)) mutations.push(to(what, () => text));
  }
  if (types.includes("integer") || types.includes("number")) {
    for (const number of faultyNumbers(schema, types))
      mutations.push(to(`number ${number}`, () => raw(number)));
  }
  if (Array.isArray(value)) mutations.push(...faultyArrays(schema, value, to, random));
  else if (typeof value === "object" && value !== null) mutations.push(...faultyObjects(site, value, raw));
  return mutations;
}

function wrongTypes(types: readonly string[]): unknown[] {
  const samples: ReadonlyArray<readonly [string, unknown]> = [
    ["string", "x"],
    ["number", 1.5],
    ["boolean", true],
    ["null", null],
    ["array", []],
    ["object", {}],
  ];
  if (types.length === 0) return [];
  return samples.filter(([type]) => !types.includes(type)).map(([, sample]) => sample);
}

/**
 * Nested deeper than any schema. The service refuses such a body before it parses it, so the issue names the
 * whole body.
 */
function tooDeep({ put }: Site, types: readonly string[], raw: WriteRaw): Mutation {
  const [open, close] = types.includes("array") ? ['{"a":', "}"] : ["[", "]"];
  const text = `${open.repeat(DEPTH)}1${close.repeat(DEPTH)}`;
  return { what: "too deep", path: "", apply: () => put(raw(text)) };
}

function faultyNumbers(schema: JsonSchema, types: readonly string[]): string[] {
  const numbers = ["1e400", "-1e400"];
  if (!types.includes("number")) numbers.push("0.5", "1e-5");
  if (schema.maximum !== undefined) numbers.push(String(schema.maximum + 1), "1e308", "9".repeat(40));
  if (schema.minimum !== undefined) numbers.push(String(schema.minimum - 1), `-${"9".repeat(40)}`);
  return numbers;
}

function faultyArrays(
  schema: JsonSchema,
  value: readonly unknown[],
  to: (what: string, replacement: () => unknown) => Mutation,
  random: SeededRandom,
): Mutation[] {
  const mutations: Mutation[] = [];
  const { minItems = 0, maxItems } = schema;
  if (minItems > 0) mutations.push(to("too few entries", () => []));
  if (maxItems !== undefined && value.length > 0 && (maxItems < 100 || random.chance(LARGE_SHARE))) {
    mutations.push(to("too many entries", () => Array.from({ length: maxItems + 1 }, () => value[0])));
  }
  if (schema.uniqueItems === true && value.length > 0) {
    mutations.push(to("an entry twice", () => [value[0], value[0]]));
  }
  return mutations;
}

function faultyObjects({ schema, path, put }: Site, value: object, raw: WriteRaw): Mutation[] {
  const mutations: Mutation[] = [];
  const add = (what: string, name: string, at: string) =>
    mutations.push({ what, path: at, apply: () => setOwn(value, name, "x") });
  // Beside branches, all branches together judge an absent or added field.
  const plain = isPlain(schema);
  for (const name of schema.required ?? []) {
    const apply = () => Reflect.deleteProperty(value, name);
    mutations.push({
      what: `without ${name}`,
      path: plain ? strangeChild(path, name) : path,
      vague: !plain,
      apply,
    });
  }
  if (schema.additionalProperties === false && plain) {
    for (const name of ["typo", "__proto__", "constructor", "a/b~c", "\ud800", "k".repeat(500)]) {
      add(`unknown field ${JSON.stringify(name.slice(0, 20))}`, name, strangeChild(path, name));
    }
  }
  if (schema.propertyNames !== undefined) {
    for (const name of ["", "\u0000", "\ud800", "n".repeat(257)]) add("a bad key", name, path);
  }
  if (schema.maxProperties !== undefined && plain) {
    const many = Object.fromEntries(
      Array.from({ length: schema.maxProperties + 1 }, (_, i) => [`k${i}`, "v"]),
    );
    mutations.push({ what: "too many keys", path, apply: () => put(many) });
  }
  const [first] = Object.keys(value);
  if (first !== undefined) mutations.push(keyTwice(value, first, child(path, first), put, raw));
  return mutations;
}

function keyTwice(
  value: object,
  name: string,
  path: string,
  put: (value: unknown) => void,
  raw: WriteRaw,
): Mutation {
  const whole = JSON.stringify(value);
  const again = JSON.stringify({ [name]: (value as Record<string, unknown>)[name] }).slice(1, -1);
  // The second time its first letter is escaped: it is the same key.
  const escaped = /^"[a-z]/.test(again)
    ? `"\\u00${again.charCodeAt(1).toString(16)}${again.slice(2)}`
    : again;
  const text = `${whole.slice(0, -1)},${escaped}}`;
  return { what: `${name} twice`, path, onlyInText: true, apply: () => put(raw(text)) };
}
