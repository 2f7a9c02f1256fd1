interface Schema {
  readonly [keyword: string]: unknown;
}

type NamedSchemas = ReadonlyArray<readonly [name: string, schema: Schema]>;

/**
 * Moves repeated parts out of the schemas, so that each is compiled once: objects with properties, and
 * choices between such objects by a tag, which make validators large. `shared` has the moved parts, by the
 * names in the `$ref`s that replace them. All are plain JSON Schema: copies without TypeBox's hidden markers.
 */
export function shareRepeated(named: ReadonlyArray<readonly [name: string, schema: unknown]>): {
  readonly schemas: NamedSchemas;
  readonly shared: NamedSchemas;
} {
  const plain = named.map(([name, schema]) => [name, JSON.parse(JSON.stringify(schema)) as Schema] as const);
  const counts = new Map<string, number>();
  for (const [, schema] of plain) count(schema, counts);
  const shared = new Map<string, readonly [name: string, schema: Schema]>();
  const share = (schema: Schema): unknown => {
    const text = JSON.stringify(schema);
    if (!mayMove(schema) || (counts.get(text) as number) < 2) return inside(schema);
    const known = shared.get(text);
    if (known !== undefined) return { $ref: known[0] };
    const name = `shared_${shared.size + 1}`;
    // Reserves its name before it is filled: its own parts take the next ones.
    shared.set(text, [name, schema]);
    shared.set(text, [name, inside(schema)]);
    return { $ref: name };
  };
  // A choice contains its forms: the keyword that chooses between them reads their tags.
  const inside = (schema: Schema): Schema =>
    mapValues(schema, schema.discriminator === undefined ? share : (form) => mapValues(form, share));
  // A whole request keeps its own name, even if another one equals it.
  const schemas = plain.map(([name, schema]) => [name, mapValues(schema, share)] as const);
  return { schemas, shared: [...shared.values()] };
}

/** Counts the movable schemas below this one. */
function count(schema: Schema, counts: Map<string, number>): void {
  for (const inner of Object.values(schema)) {
    for (const one of Array.isArray(inner) ? inner : [inner]) {
      if (!isObject(one)) continue;
      if (mayMove(one)) {
        const text = JSON.stringify(one);
        counts.set(text, (counts.get(text) ?? 0) + 1);
      }
      count(one, counts);
    }
  }
}

/** A reference to a `$defs` beside the request would not find it from elsewhere. */
function mayMove(schema: Schema): boolean {
  const isLarge = isObject(schema.properties) || isObject(schema.discriminator);
  return schema.type === "object" && isLarge && !JSON.stringify(schema).includes('"$ref"');
}

function mapValues(schema: Schema, map: (inner: Schema) => unknown): Schema {
  const mapOne = (inner: unknown) => (isObject(inner) ? map(inner) : inner);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, inner]) => [
      keyword,
      Array.isArray(inner) ? inner.map(mapOne) : mapOne(inner),
    ]),
  );
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
