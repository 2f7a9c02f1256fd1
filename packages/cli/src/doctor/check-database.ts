import { connectionsOf, type ServiceName } from "#contract";
import type { DatabaseServer, MigrationState } from "#postgres";
import { type Finding, fail, ok, warn } from "./finding.ts";

const OLDEST_VERSION = 14;

/** Which database the findings are about; both where the platform has a schema in the publisher's. */
export interface DatabaseRole {
  /** `database`, or `platform database`. */
  readonly name: string;
  /** Whose services connect to it. */
  readonly services: readonly ServiceName[];
  readonly address: string;
}

export function judgeVersion({ name, address }: DatabaseRole, server: DatabaseServer): Finding {
  const what = `PostgreSQL ${server.version} at ${address}`;
  if (Math.floor(server.versionNumber / 10_000) >= OLDEST_VERSION) return ok(name, what);
  return fail(name, `${what} is too old: use ${OLDEST_VERSION} or later`);
}

/** What a power loss would take of what was acknowledged. */
export function judgeDurability({ name }: DatabaseRole, server: DatabaseServer): Finding {
  const check = `${name} durability`;
  const settings: ReadonlyArray<readonly [string, string]> = [
    ["fsync", server.fsync],
    ["full_page_writes", server.fullPageWrites],
    ["synchronous_commit", server.synchronousCommit],
  ];
  const off = settings.filter(([, value]) => value === "off").map(([setting]) => setting);
  if (off.length === 0) return ok(check, settings.map((pair) => pair.join(" ")).join(", "));
  return fail(
    check,
    `${off.join(", ")} off: a crash can lose what was acknowledged; set to on in postgresql.conf`,
  );
}

/** Against one process of each service, and one connection for the command line. */
export function judgeConnections(
  { name, services }: DatabaseRole,
  { connectionLimit, otherConnections }: DatabaseServer,
  settings: { readonly ingestWriters: number },
): Finding {
  const check = `${name} connections`;
  const needed = services.reduce((sum, service) => sum + connectionsOf(service, settings), 1);
  const what = `one process of each service opens up to ${needed} of ${connectionLimit}`;
  if (needed > connectionLimit) return fail(check, `${what}: raise max_connections`);
  if (needed + otherConnections > connectionLimit) {
    return warn(check, `${what}, and others have ${otherConnections}: raise max_connections, or end some`);
  }
  const times = Math.floor((connectionLimit - otherConnections) / needed);
  return ok(check, `${what}, others have ${otherConnections}: enough for ${times} of each`);
}

export function judgeMigrations(check: string, { pending, unknown, edited }: MigrationState): Finding {
  if (edited.length > 0) {
    return fail(check, `${edited.join(", ")} edited after being applied: run the version that applied it`);
  }
  if (pending.length > 0) {
    return fail(check, `misses ${pending.join(", ")}: run \`stampede migrate\``);
  }
  if (unknown.length > 0) {
    return warn(
      check,
      `has ${unknown.join(", ")} of a later version: see to it that this version may run beside it`,
    );
  }
  return ok(check, "all migrations of this version");
}
