/** Writes the TypeScript type of a JSON Schema of the contract, as the client's package has it. */
import { publicNameOf } from "#contract/openapi";

/** The keywords that decide a type; the validators check bounds and formats. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: unknown;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/**
 * `request`: made by a caller, so its lists may be read-only, and optional fields may be undefined, which
 * JSON leaves out. `answer`: received by a caller.
 */
export type Side = "request" | "answer";

export class TypeWriter {
  readonly #fieldDescriptions: Readonly<Record<string, string>>;
  readonly #side: Side;

  /** @param fieldDescriptions the meaning of a field, wherever it occurs */
  constructor(fieldDescriptions: Readonly<Record<string, string>>, side: Side) {
    this.#fieldDescriptions = fieldDescriptions;
    this.#side = side;
  }

  /** The type of a schema: its name, if it has one. */
  typeOf(schema: Schema): string {
    return this.#named(schema, schema.$defs ?? {});
  }

  /** The same, spelt out. */
  bodyOf(schema: Schema): string {
    return this.#spelt(schema, schema.$defs ?? {});
  }

  #named(schema: Schema, definitions: Readonly<Record<string, Schema>>): string {
    return publicNameOf(schema)?.name ?? this.#spelt(schema, definitions);
  }

  #spelt(schema: Schema, definitions: Readonly<Record<string, Schema>>): string {
    if (schema.$ref !== undefined) return filterType(schema.$ref, definitions);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
    const forms = schema.anyOf ?? (schema.discriminator === undefined ? undefined : schema.oneOf);
    if (forms !== undefined) return union(forms.map((form) => this.#named(form, definitions)));
    const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
    if (types.length === 0) throw new Error(`no type follows from ${JSON.stringify(schema)}`);
    return union(types.map((type) => this.#ofType(type, schema, definitions)));
  }

  #ofType(type: string, schema: Schema, definitions: Readonly<Record<string, Schema>>): string {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
        return type;
      case "integer":
      case "number":
        return "number";
      case "array": {
        const entry = this.#named(schema.items as Schema, definitions);
        const isUnion = !entry.startsWith("{") && entry.replace(/<.*>/, "").includes(" | ");
        const list = isUnion ? `(${entry})[]` : `${entry}[]`;
        return this.#side === "request" ? `readonly ${list}` : list;
      }
      case "object":
        return this.#object(schema, definitions);
      default:
        throw new Error(`no type follows from "type": ${JSON.stringify(type)}`);
    }
  }

  #object(schema: Schema, definitions: Readonly<Record<string, Schema>>): string {
    const { properties, oneOf, additionalProperties, patternProperties } = schema;
    if (properties === undefined) {
      const value =
        typeof additionalProperties === "object"
          ? additionalProperties
          : Object.values(patternProperties ?? {})[0];
      if (value === undefined) throw new Error(`an object of what? ${JSON.stringify(schema)}`);
      const written = `Record<string, ${this.#named(value, definitions)}>`;
      return this.#side === "request" ? `Readonly<${written}>` : written;
    }
    if (oneOf === undefined) return this.#fields(properties, new Set(schema.required), definitions);
    return union(
      formsOf(schema, oneOf).map(({ names, required }) => {
        const some = Object.fromEntries(Object.entries(properties).filter(([name]) => names.has(name)));
        return this.#fields(some, required, definitions);
      }),
    );
  }

  #fields(
    properties: Readonly<Record<string, Schema>>,
    required: ReadonlySet<string>,
    definitions: Readonly<Record<string, Schema>>,
  ): string {
    const isRequest = this.#side === "request";
    const lines = Object.entries(properties).flatMap(([name, schema]) => {
      const type = this.#named(schema, definitions);
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
      const field = required.has(name)
        ? `${key}: ${type};`
        : `${key}?: ${type}${isRequest ? " | undefined" : ""};`;
      const description = this.#fieldDescriptions[name];
      return description === undefined ? [field] : [`/** ${description} */`, field];
    });
    return lines.length === 0 ? "Record<string, never>" : `{\n${indent(lines.join("\n"))}\n}`;
  }
}

export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

/** Filters are unrolled in the schemas, because a body must not nest without end; a type may refer to itself. */
function filterType(reference: string, definitions: Readonly<Record<string, Schema>>): string {
  const definition = definitions[reference.replace("#/$defs/", "")];
  const keys = definition?.properties?.key?.enum;
  if (keys === undefined) throw new Error(`${reference} is no filter`);
  return `Filter<${union(keys.map((key) => JSON.stringify(key)))}>`;
}

/**
 * The forms of an object whose `oneOf` says only which fields come together. A field that one form requires is
 * no part of the others, except where one form's fields are all in another's.
 */
function formsOf(
  schema: Schema,
  oneOf: readonly Schema[],
): { readonly names: ReadonlySet<string>; readonly required: ReadonlySet<string> }[] {
  const always = schema.required ?? [];
  const told = new Set(oneOf.flatMap(({ required }) => required ?? []));
  const free = Object.keys(schema.properties ?? {}).filter((name) => !told.has(name));
  return oneOf.map((form) => {
    const required = new Set([...always, ...(form.required ?? [])]);
    return { names: new Set([...required, ...free]), required };
  });
}
