import { existsSync, readdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "#postgres";
import { type Finding, fail, ok, warn } from "./finding.ts";

const MIB = 2 ** 20;
/** With less, PostgreSQL may not finish a checkpoint, nor NATS write a stream. */
const FAIL_BYTES = 512 * MIB;
const WARN_SHARE = 0.1;
const ANSWER_MS = 2_000;

/** The free space at a server's directory on this machine. */
function judgeDisk(check: string, dir: string, doThis: string): Finding {
  const { bavail, bsize, blocks } = statfsSync(dir);
  const free = bavail * bsize;
  const what = `${Math.floor(free / MIB)} MiB free at ${dir}`;
  if (free < FAIL_BYTES) return fail(check, `${what}: ${doThis}`);
  if (free < WARN_SHARE * blocks * bsize) return warn(check, `${what}, less than a tenth: ${doThis}`);
  return ok(check, what);
}

/** The disk of PostgreSQL's data. A server reports its directory, to roles that may read settings, but not its free space. */
export async function checkDatabaseDisk(check: string, sql: Sql, url: string): Promise<Finding> {
  const dir = isHere(new URL(url).hostname) ? await dataDirectory(sql) : undefined;
  if (dir === undefined || !existsSync(dir)) {
    return ok(check, "unknown from here: monitor its volume");
  }
  return judgeDisk(check, dir, "free space on PostgreSQL's volume, or make it larger");
}

async function dataDirectory(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<[{ dir: string | null }]>`
    select case when pg_has_role(current_user, 'pg_read_all_settings', 'member')
                then current_setting('data_directory') end as dir`;
  return row.dir ?? undefined;
}

function isHere(host: string): boolean {
  return host === "" || host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

interface Varz {
  readonly jetstream?: { readonly config?: { readonly store_dir?: string } };
}

/**
 * The health of a NATS server, and the disk of its store. A stream that met a full disk stays broken until the server is
 * restarted, and only `/healthz` says so.
 */
export async function checkNatsStore(check: string, monitorUrl: string): Promise<Finding> {
  const health = await fetch(new URL("healthz", slashed(monitorUrl)), {
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (!health.ok) {
    const said = (await health.text()).replaceAll(/\s+/g, " ").slice(0, 200);
    return fail(check, `${monitorUrl}/healthz says ${said}: free its disk if it is full, then restart it`);
  }
  const dir = await storeDirectory(monitorUrl);
  if (dir === undefined) {
    return ok(check, `${monitorUrl} is healthy; its room is unknown from here: monitor its volume`);
  }
  return judgeDisk(check, dir, "free space on NATS' volume, or make it larger");
}

/** The server's store; undefined if it is not on this machine. */
async function storeDirectory(monitorUrl: string): Promise<string | undefined> {
  const varz = await fetch(new URL("varz", slashed(monitorUrl)), { signal: AbortSignal.timeout(ANSWER_MS) });
  const dir = ((await varz.json()) as Varz).jetstream?.config?.store_dir;
  return dir !== undefined && isHere(new URL(monitorUrl).hostname) && existsSync(dir) ? dir : undefined;
}

/**
 * Whether NATS encrypts its streams. The server does not report it; its files show it: an encrypted stream has a `meta.key`
 * beside its `meta.inf`.
 */
export async function checkNatsEncryption(check: string, monitorUrl: string): Promise<Finding> {
  const dir = await storeDirectory(monitorUrl);
  const streams = dir === undefined ? undefined : streamsIn(dir);
  if (streams === undefined) {
    const how = "each <account>/streams/<name> of its store_dir must have a meta.key";
    return ok(check, `${monitorUrl}: unknown from here: ${how}`);
  }
  const plain = streams.filter((stream) => !existsSync(join(stream, "meta.key")));
  if (plain.length === 0)
    return ok(check, `${monitorUrl}: ${streams.length} streams in ${dir} are encrypted`);
  const doThis = "set cipher and key in the jetstream block of nats.conf (docs/operations/secrets.md)";
  return warn(check, `${plain.length} of ${streams.length} streams in ${dir} are in clear: ${doThis}`);
}

/** The directories of all streams in a store; undefined if this user may not read them. */
function streamsIn(dir: string): string[] | undefined {
  try {
    return readdirSync(dir)
      .map((account) => join(dir, account, "streams"))
      .filter((streams) => existsSync(streams))
      .flatMap((streams) => readdirSync(streams).map((name) => join(streams, name)));
  } catch {
    return undefined;
  }
}

function slashed(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
