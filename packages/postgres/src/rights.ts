import { readFile } from "node:fs/promises";
import { tryLockForTransaction } from "./advisory-lock.ts";
import type { Sql, Store, Transaction } from "./connect.ts";
import type { MigrationSet } from "./migration-file.ts";

/** The owner of the tables, if each service has a role of its own (deploy/postgres/roles.sql). */
const OWNER = "stampede_owner";

/** How the rights of the services' roles differ from the set's rights file. */
export interface RightsReport {
  /** Whether each service has its own role here: otherwise one user has all rights, and there is nothing to compare. */
  readonly areThere: boolean;
  /** Such as `stampede_ingest: insert on public.transactions`, in the order of the file. */
  readonly missing: readonly string[];
  /** Rights that a role has and the file does not give. */
  readonly besides: readonly string[];
}

/**
 * Compares the rights of the roles, from the catalog, which every role may read, with the rights file.
 * Changes nothing.
 */
export async function compareRights(sql: Sql, set: MigrationSet): Promise<RightsReport> {
  const { rightsFile, schema = "public" } = set;
  const rows = await sql<{ role: string; verb: string; object: string; column: string | null }[]>`
    select granted.role, granted.verb, granted.object, granted.column from (
      select r.rolname as role, lower(a.privilege_type) as verb,
             n.nspname || '.' || c.relname as object, null as column, c.relowner as owner
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      cross join lateral aclexplode(c.relacl) a
      join pg_roles r on r.oid = a.grantee
      where n.nspname = ${schema} and c.relkind in ('r', 'p', 'v', 'm', 'S')
      union all
      select r.rolname, lower(a.privilege_type), n.nspname || '.' || c.relname, t.attname, c.relowner
      from pg_attribute t
      join pg_class c on c.oid = t.attrelid
      join pg_namespace n on n.oid = c.relnamespace
      cross join lateral aclexplode(t.attacl) a
      join pg_roles r on r.oid = a.grantee
      where n.nspname = ${schema} and not t.attisdropped
    ) as granted
    join pg_roles owner on owner.oid = granted.owner and owner.rolname = ${OWNER}
    where granted.role like 'stampede\\_%' and granted.role <> ${OWNER}`;
  if (rightsFile === undefined || !(await isOwned(sql, schema)))
    return { areThere: false, missing: [], besides: [] };
  const wanted = readRights(await readFile(rightsFile, "utf8"));
  const given = new Set(rows.map(({ role, verb, object, column }) => rightOf(role, verb, object, column)));
  return {
    areThere: true,
    missing: [...wanted].filter((right) => !given.has(right)),
    besides: [...given].filter((right) => !wanted.has(right)),
  };
}

function rightOf(role: string, verb: string, object: string, column: string | null): string {
  return `${role}: ${verb}${column === null ? "" : ` (${column})`} on ${object}`;
}

const GRANT = /^grant (.+?) on (?:sequence )?([\w.]+) to ([\w, ]+)$/;
/** The platform has its own schema. */
const OF_SCHEMAS = / on (schema|all functions in schema) /;
/** A verb, with its columns. */
const VERB = /(\w+)(?: \(([^)]*)\))?/g;

/** The rights that a rights file gives, one text for each role, verb, table and column. */
function readRights(text: string): ReadonlySet<string> {
  const statements = text
    .split("\n")
    .map((line) => line.split("--", 1)[0])
    .join(" ")
    .split(";")
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim());
  const rights = new Set<string>();
  for (const statement of statements) {
    if (!statement.startsWith("grant ") || OF_SCHEMAS.test(statement)) continue;
    const [, verbs = "", object = "", roles = ""] = GRANT.exec(statement) ?? [];
    // A grant in another form must not count as no right.
    if (object === "") throw new Error(`a grant of the rights file is not understood: ${statement}`);
    for (const role of roles.split(", ")) {
      for (const [, verb = "", columns] of verbs.matchAll(VERB)) {
        for (const column of columns?.split(", ") ?? [null]) rights.add(rightOf(role, verb, object, column));
      }
    }
  }
  return rights;
}

/**
 * Gives the services' roles the rights of the set's rights file, and takes away all others on its tables and sequences; no session sees a
 * state in between. If one user has all rights, the tables do not belong to `stampede_owner` and there is nothing to do.
 * @returns given; none: there are no such roles here; busy: another process migrates now
 */
export async function giveRights(store: Store, set: MigrationSet): Promise<"given" | "none" | "busy"> {
  const { rightsFile, schema = "public" } = set;
  if (rightsFile === undefined) return "none";
  const text = await readFile(rightsFile, "utf8");
  return store.begin(async (sql) => {
    if (!(await tryLockForTransaction(sql, set.lock))) return "busy";
    if (!(await isOwned(sql, schema))) return "none";
    await revokeAll(sql, schema);
    await sql.script(text);
    return "given";
  });
}

async function isOwned(sql: Sql, schema: string): Promise<boolean> {
  const [row] = await sql<[{ owned: boolean }]>`
    select exists (
      select from pg_tables
      where schemaname = ${schema} and tablename = 'schema_migrations' and tableowner = ${OWNER}
    ) as owned`;
  return row.owned;
}

/** Only from the owner's objects: the schema may have other owners' tables. A revoke on a table includes its columns. */
async function revokeAll(sql: Transaction, schema: string): Promise<void> {
  const roles = await sql<{ role: string }[]>`
    select quote_ident(rolname) as role from pg_roles where rolname like 'stampede\\_%' and rolname <> ${OWNER}`;
  const objects = await sql<{ object: string }[]>`
    select case c.relkind when 'S' then 'sequence ' else 'table ' end || format('%I.%I', n.nspname, c.relname) as object
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_roles r on r.oid = c.relowner
    where n.nspname = ${schema} and r.rolname = ${OWNER} and c.relkind in ('r', 'p', 'v', 'm', 'S')`;
  const from = ["public", ...roles.map(({ role }) => role)].join(", ");
  await sql.script(objects.map(({ object }) => `revoke all on ${object} from ${from};`).join("\n"));
}
