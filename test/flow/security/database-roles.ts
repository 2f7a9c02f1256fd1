import { readFileSync } from "node:fs";
import type { Store } from "#postgres";
import type { DatabaseRole } from "#test-support";

const DOC = new URL("../../../../docs/operations/roles.md", import.meta.url);

/** S, I, U, D: the verb on the whole table; s, u: on some of its columns. In this order. */
export type Letters = string;

/** The services' roles, by the table's columns. */
export const SERVICE_ROLES = ["edge", "ingest", "rewards", "webhooks", "platform", "console"] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];

/** The table of docs/operations/roles.md: what each role may do to each table, `schema.table`. */
export function documentedRights(): Map<string, Readonly<Record<ServiceRole, Letters>>> {
  const rows = readFileSync(DOC, "utf8").matchAll(/^\| `(\w+\.\w+)` \|(.*)\|$/gm);
  return new Map(
    [...rows].map(([, table = "", cells = ""]) => {
      const letters = cells.split("|").map((cell) => cell.trim());
      const rights = SERVICE_ROLES.map((role, i) => [role, letters[i] ?? ""] as const);
      return [table, Object.fromEntries(rights) as Record<ServiceRole, Letters>];
    }),
  );
}

export const roleOf = (service: ServiceRole): DatabaseRole => `stampede_${service}`;

/** Every table of the two schemas with its columns. */
export async function readTables(owner: Store): Promise<Map<string, readonly string[]>> {
  const rows = await owner<{ name: string; columns: string[] }[]>`
    select format('%s.%s', n.nspname, c.relname) as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname in ('public', 'platform') and c.relkind = 'r'
    group by 1 order by 1`;
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/**
 * The rights of a role on a table, as the server grants them. `explain` checks rights as the statement itself
 * would, and changes nothing.
 */
export async function triedRights(role: Store, table: string, columns: readonly string[]): Promise<Letters> {
  const may = (statement: string) => isAllowed(role, `explain ${statement}`);
  const quoted = columns.map((column) => `"${column}"`);
  const some = async (statement: (column: string) => string) => {
    for (const column of quoted) if (await may(statement(column))) return true;
    return false;
  };
  const every = async (statement: (column: string) => string) => {
    for (const column of quoted) if (!(await may(statement(column)))) return false;
    return true;
  };
  const select = (column: string) => `select ${column} from ${table}`;
  const insert = (column: string) => `insert into ${table} (${column}) values (default)`;
  // Set to null and not to itself, which would need the right to read it.
  const update = (column: string) => `update ${table} set ${column} = default`;
  return [
    (await every(select)) ? "S" : (await some(select)) ? "s" : "",
    (await every(insert)) ? "I" : (await some(insert)) ? "i" : "",
    (await every(update)) ? "U" : (await some(update)) ? "u" : "",
    (await may(`delete from ${table}`)) ? "D" : "",
  ].join("");
}

/** False if the server says that the role may not; throws every other error. */
export async function isAllowed(role: Store, statement: string): Promise<boolean> {
  try {
    await role.script(statement);
    return true;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "42501") return false;
    throw new Error(`${statement}: ${message}`);
  }
}
