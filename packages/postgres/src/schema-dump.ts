import type { Sql, Store } from "./connect.ts";

/**
 * A schema as text, from the catalogs: the same for equal schemas, in whatever order objects were
 * made, so that a difference in review is a difference in the database. Objects that extensions brought are
 * left out. Always dump with the same major version of Postgres: each prints definitions differently.
 */
export async function dumpSchema(store: Store, schema = "public"): Promise<string> {
  // One snapshot; and with an empty search path Postgres prints every name with its schema.
  const sections = await store.begin("isolation level repeatable read read only", async (sql) => {
    await sql.script("set local search_path to ''");
    return [
      await extensions(sql),
      await enumTypes(sql, schema),
      await sequences(sql, schema),
      await functions(sql, schema),
      await tables(sql, schema),
      await views(sql, schema),
    ];
  });
  return `${sections.flat().join("\n\n")}\n`;
}

/** Objects of the schema that do not belong to an extension. */
function ours(sql: Sql, schema: string, catalog: string, schemaColumn: string) {
  const namespace = sql(`object.${schemaColumn}`);
  return sql`
    ${namespace} = ${schema}::text::regnamespace
    and not exists (
      select from pg_depend
      where classid = ${catalog}::regclass and objid = object.oid and deptype = 'e'
    )`;
}

async function extensions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select extname as name from pg_extension where extname <> 'plpgsql' order by extname collate "C"`;
  return rows.map(({ name }) => `extension ${name}`);
}

async function enumTypes(sql: Sql, schema: string): Promise<string[]> {
  const rows = await sql<{ name: string; labels: string[] }[]>`
    select object.oid::regtype::text as name,
           array(
             select enumlabel::text from pg_enum where enumtypid = object.oid order by enumsortorder
           ) as labels
    from pg_type as object
    where object.typtype = 'e' and ${ours(sql, schema, "pg_type", "typnamespace")}
    order by object.oid::regtype::text collate "C"`;
  return rows.map(({ name, labels }) => `enum ${name}: ${labels.join(", ")}`);
}

async function sequences(sql: Sql, schema: string): Promise<string[]> {
  const rows = await sql<{ name: string; type: string; start: string; step: string }[]>`
    select object.oid::regclass::text as name, format_type(seqtypid, null) as type,
           seqstart::text as start, seqincrement::text as step
    from pg_class as object join pg_sequence on seqrelid = object.oid
    where ${ours(sql, schema, "pg_class", "relnamespace")}
    order by object.oid::regclass::text collate "C"`;
  return rows.map(
    ({ name, type, start, step }) => `sequence ${name} as ${type} start ${start} increment ${step}`,
  );
}

async function functions(sql: Sql, schema: string): Promise<string[]> {
  const rows = await sql<{ definition: string }[]>`
    select pg_get_functiondef(object.oid) as definition
    from pg_proc as object
    where object.prokind in ('f', 'p') and ${ours(sql, schema, "pg_proc", "pronamespace")}
    order by object.oid::regprocedure::text collate "C"`;
  return rows.map(({ definition }) => definition.trimEnd());
}

async function views(sql: Sql, schema: string): Promise<string[]> {
  const rows = await sql<{ name: string; definition: string }[]>`
    select object.oid::regclass::text as name, pg_get_viewdef(object.oid) as definition
    from pg_class as object
    where object.relkind in ('v', 'm') and ${ours(sql, schema, "pg_class", "relnamespace")}
    order by object.oid::regclass::text collate "C"`;
  return rows.map(({ name, definition }) => `view ${name} as\n${definition}`);
}

async function tables(sql: Sql, schema: string): Promise<string[]> {
  const rows = await sql<{ oid: number; name: string; options: string[] | null; partition: string | null }[]>`
    select object.oid, object.oid::regclass::text as name, object.reloptions as options,
           coalesce(pg_get_partkeydef(object.oid), pg_get_expr(object.relpartbound, object.oid)) as partition
    from pg_class as object
    where object.relkind in ('r', 'p') and ${ours(sql, schema, "pg_class", "relnamespace")}
    order by object.oid::regclass::text collate "C"`;
  const texts: string[] = [];
  for (const { oid, name, options, partition } of rows) {
    const head = [
      `table ${name}`,
      ...(partition === null ? [] : [`partition ${partition}`]),
      ...(options === null ? [] : [`with (${options.join(", ")})`]),
    ];
    const lines = [...(await columns(sql, oid)), ...(await belongings(sql, oid))];
    texts.push([head.join(" "), ...lines.map((line) => `  ${line}`)].join("\n"));
  }
  return texts;
}

/** In the order of the table, which is part of its design. */
async function columns(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select concat_ws(' ',
             'column', quote_ident(attname), format_type(atttypid, atttypmod),
             case when attcollation <> typcollation then 'collate ' || attcollation::regcollation::text end,
             case when attnotnull then 'not null' end,
             case attidentity when 'a' then 'identity always' when 'd' then 'identity by default' end,
             case attgenerated when 's' then 'stored' when 'v' then 'virtual' end,
             'default ' || pg_get_expr(adbin, adrelid),
             case when attstorage <> typstorage then 'storage ' || attstorage::text end,
             'compression ' || nullif(attcompression::text, ''),
             'statistics ' || attstattarget) as line
    from pg_attribute
    join pg_type on pg_type.oid = atttypid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = ${table} and attnum > 0 and not attisdropped
    order by attnum`;
  return rows.map(({ line }) => line);
}

/** Constraints ("not null" is shown with its column), indexes and triggers, each kind ordered by name. */
async function belongings(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select line from (
      select 1 as kind, conname as name,
             format('constraint %I %s', conname, pg_get_constraintdef(oid)) as line
      from pg_constraint where conrelid = ${table} and contype not in ('n', 't')
      union all
      select 2, relname, pg_get_indexdef(indexrelid)
      from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = ${table}
      union all
      select 3, tgname, pg_get_triggerdef(oid) from pg_trigger where tgrelid = ${table} and not tgisinternal
    ) as belonging
    order by kind, name collate "C"`;
  return rows.map(({ line }) => line);
}
