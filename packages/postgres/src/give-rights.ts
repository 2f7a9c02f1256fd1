import { readFile } from "node:fs/promises";
import { tryLockForTransaction } from "./advisory-lock.ts";
import type { Store, Transaction } from "./connect.ts";
import type { MigrationSet } from "./migration-file.ts";

/** Who owns the tables where each service has a role of its own (deploy/postgres/roles.sql). */
const OWNER = "stampede_owner";

/**
 * Gives the services' roles the rights of the set's rights file, and takes away all others that they have on its
 * tables and sequences; nobody sees a state in between. Where one user has everything, the tables are not of
 * `stampede_owner` and there is nothing to do.
 * @returns given; none: there are no such roles here; busy: somebody else migrates now
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

async function isOwned(sql: Transaction, schema: string): Promise<boolean> {
  const [row] = await sql<[{ owned: boolean }]>`
    select exists (
      select from pg_tables
      where schemaname = ${schema} and tablename = 'schema_migrations' and tableowner = ${OWNER}
    ) as owned`;
  return row.owned;
}

/** Of what the owner has: there may be tables of others in the schema. A table's revoke takes its columns' grants with it. */
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
