import type { SeededRandom } from "#domain";
import { type JsonSchema, type Resolve, typesOf } from "./json-schema.ts";
import { type KnownValues, kindOfField } from "./known-values.ts";
import { textOfFormat, textOfLength, wildText } from "./valid-text.ts";

export interface Generation {
  readonly random: SeededRandom;
  readonly resolve: Resolve;
  readonly known: KnownValues;
  readonly route: string;
  /** How likely an optional field is. */
  readonly optionalShare: number;
}

/** Deeper than this only required parts are made, so that recursive schemas end. */
const RICH_DEPTH = 6;
const MOST_ENTRIES = 3;

/** A dynamic name, and seldom used. */
const NOBODYS_PORT = 60_999;

/** A value that the schema takes, most of the time; the caller's validator judges `not` and its like. */
export function validValue(given: JsonSchema, generation: Generation, name = "", depth = 0): unknown {
  const schema = generation.resolve(given);
  const { random } = generation;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) {
    return validValue(merge(schema, generation.resolve(random.pick(branches))), generation, name, depth);
  }
  if (schema.allOf !== undefined) {
    const { allOf, ...rest } = schema;
    const whole = allOf.reduce((sum, part) => merge(sum, generation.resolve(part)), rest as JsonSchema);
    return validValue(whole, generation, name, depth);
  }
  switch (random.pick(typesOf(schema).length === 0 ? ["string"] : typesOf(schema))) {
    case "object":
      return validObject(schema, generation, depth);
    case "array":
      return validArray(schema, generation, name, depth);
    case "integer":
      return validInteger(schema, random, name);
    case "number":
      return validNumber(schema, random);
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    default:
      return validString(schema, generation, name);
  }
}

/** A branch together with the schema around it: for counts and required fields the branch decides. */
function merge(outer: JsonSchema, branch: JsonSchema): JsonSchema {
  const { oneOf: _oneOf, anyOf: _anyOf, ...rest } = outer;
  return {
    ...rest,
    ...branch,
    properties: { ...rest.properties, ...branch.properties },
    required: [...(rest.required ?? []), ...(branch.required ?? [])],
  };
}

function validObject(schema: JsonSchema, generation: Generation, depth: number): Record<string, unknown> {
  const { random, optionalShare } = generation;
  const required = new Set(schema.required);
  const wanted = Object.keys(schema.properties ?? {}).filter(
    (name) => required.has(name) || (depth < RICH_DEPTH && random.chance(optionalShare)),
  );
  const most = schema.maxProperties ?? Number.POSITIVE_INFINITY;
  const names = random
    .shuffle(wanted)
    .sort((a, b) => Number(required.has(b)) - Number(required.has(a)))
    .slice(0, most);
  const value: Record<string, unknown> = {};
  for (const name of random.shuffle(names)) {
    value[name] = validValue(schema.properties?.[name] as JsonSchema, generation, name, depth + 1);
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object" && depth < RICH_DEPTH) {
    for (let left = random.between(0, MOST_ENTRIES); left > 0; left--) {
      // `__proto__` is a key like any other here: it must come back as a key, and change nothing else.
      const key = random.chance(0.05) ? "__proto__" : validName(schema, generation);
      const inner = validValue(additionalProperties, generation, "", depth + 1);
      Object.defineProperty(value, key, {
        value: inner,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return value;
}

function validName(schema: JsonSchema, generation: Generation): string {
  const names = schema.propertyNames ?? { type: "string", minLength: 1, maxLength: 20 };
  return validString(generation.resolve(names), generation, "");
}

function validArray(schema: JsonSchema, generation: Generation, name: string, depth: number): unknown[] {
  const { random } = generation;
  const least = schema.minItems ?? 0;
  const most = Math.min(schema.maxItems ?? Number.POSITIVE_INFINITY, Math.max(least, MOST_ENTRIES));
  const length = depth > RICH_DEPTH ? least : random.between(least, most);
  const items = Array.from({ length }, () => validValue(schema.items ?? {}, generation, name, depth + 1));
  return schema.uniqueItems === true ? [...new Set(items)] : items;
}

function validInteger(schema: JsonSchema, random: SeededRandom, name: string): number {
  const least =
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1000 : schema.exclusiveMinimum + 1);
  const most = schema.maximum ?? 1000;
  // Whole pages cost the test more time than they show.
  if (name === "limit") return random.chance(0.95) ? random.between(least, Math.min(most, 5)) : most;
  return random.chance(0.1)
    ? random.pick([least, most])
    : random.between(least, Math.min(most, least + 5000));
}

function validNumber({ exclusiveMinimum, maximum }: JsonSchema, random: SeededRandom): number {
  const numbers = [0, -1, 1.5, 1e300, 42, random.between(0, 1_000_000) / 100];
  const [least, most] = [exclusiveMinimum ?? Number.NEGATIVE_INFINITY, maximum ?? Number.POSITIVE_INFINITY];
  return random.pick(numbers.filter((number) => number > least && number <= most));
}

function validString(schema: JsonSchema, generation: Generation, name: string): string {
  const { random, route, known } = generation;
  const kind = kindOfField(name, route);
  const found = kind === undefined ? undefined : known.pick(kind, random);
  if (found !== undefined) return found;
  // The service would refuse a time in the past, which is a rule beyond the schema.
  if (name === "expires_at" && random.chance(0.8)) return "2099-12-31T23:59:59Z";
  // On this machine, with no process that listens: webhooks are really called, and no name server is asked.
  if (name === "url") return `http://127.0.0.1:${NOBODYS_PORT}/${random.between(0, 999)}`;
  if (schema.pattern !== undefined) return textOfPattern(schema.pattern, random);
  if (schema.format !== undefined) return textOfFormat(schema, random);
  const { minLength = 0, maxLength = 40 } = schema;
  return random.chance(0.1)
    ? textOfLength(random, random.pick([minLength, Math.min(maxLength, 300)]))
    : textOfLength(random, random.between(minLength, Math.min(maxLength, 20)), wildText);
}

/** Character classes with a count, one after the other: the patterns that the schemas have. */
function textOfPattern(pattern: string, random: SeededRandom): string {
  return pattern
    .replace(/^\^|\$$/g, "")
    .replaceAll(/\[0-9(a-f)?\](?:\{(\d+)(?:,(\d+))?\})?/g, (_, letters, least = 1, most = least) => {
      const length = random.between(Number(least), Number(most));
      const greatest = letters === undefined ? 9 : 15;
      return Array.from({ length }, () => random.between(0, greatest).toString(16)).join("");
    });
}
