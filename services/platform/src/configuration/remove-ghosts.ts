import type { ConfigMessage } from "#contract/platform";
import { decodeId, uuidTime } from "#domain";
import { listConfig, publishNewerConfig, readConfig, type Stream } from "#nats";
import type { Sql, Store } from "#postgres";
import type { Log } from "#runtime";

/** The number of records that one statement looks up. */
const PAGE = 500;

/** A program or deal, from a message of the stream. */
interface Named extends Pick<ConfigMessage, "kind" | "id"> {
  readonly uuid: string;
}

/**
 * Tells publishers to remove the programs and deals that only the stream has: the database was restored to a
 * time before they were made. Otherwise rows never leave the database; even a deleted record stays.
 *
 * Races considered:
 * - Another process has just made a record: it commits before it publishes, and this lists the stream before
 *   it reads the rows. If
 *   that process uses another database, `assertAlone` keeps one of the two out.
 * - This is the wrong database, such as an empty one that an operator configured by mistake. Its age shows
 *   that: it cannot have lost
 *   a record that is older than itself. Such records stay, and an error is logged. A copy is as old as its
 *   original; `assertAlone`
 *   keeps it out while a process of the original is alive, and the original publishes its records again.
 * - The database is a standby, which lags: nothing is removed.
 * - The database is then restored to a later moment: it has the record again, and publishes it as a revision
 *   above the removal.
 */
export async function removeGhosts({
  store,
  stream,
  assertAlone,
  log,
}: {
  readonly store: Store;
  readonly stream: Stream;
  readonly assertAlone: () => Promise<void>;
  readonly log: Log;
}): Promise<void> {
  if (await isStandby(store)) return;
  const ghosts = await findUnknown(store, (await listConfig(stream)).flatMap(toNamed));
  const madeAt = ghosts.length === 0 ? 0 : await readAge(store);
  let older = 0;
  for (const { kind, id, uuid } of ghosts) {
    const held = await readConfig(stream, { kind, id });
    if (held === undefined || held.record === null) continue;
    if (uuidTime(uuid) < madeAt) {
      older++;
      continue;
    }
    await assertAlone();
    const revision = held.revision + 1;
    await publishNewerConfig(stream, { v: 1, kind, id, revision, record: null });
    log.warn(
      { kind, id, revision },
      "this database was restored, and has no such record: publishing its removal",
    );
  }
  if (older > 0) {
    log.error(
      { records: older },
      "the stream has programs and deals that are older than this database; they are not removed: check " +
        "that it is the right database",
    );
  }
}

function toNamed({ kind, id }: Pick<ConfigMessage, "kind" | "id">): Named[] {
  const uuid = decodeId(kind === "deal" ? "deal" : "lp", id);
  return uuid === undefined ? [] : [{ kind, id, uuid }];
}

async function findUnknown(sql: Sql, named: readonly Named[]): Promise<Named[]> {
  const unknown: Named[] = [];
  for (let from = 0; from < named.length; from += PAGE) {
    const page = named.slice(from, from + PAGE);
    const uuids = page.map(({ uuid }) => uuid);
    const rows = await sql<{ id: string }[]>`
      select id from platform.loyalty_programs where id = any (${uuids}::uuid[])
      union all
      select id from platform.deals where id = any (${uuids}::uuid[])`;
    const known = new Set(rows.map(({ id }) => id));
    unknown.push(...page.filter(({ uuid }) => !known.has(uuid)));
  }
  return unknown;
}

async function isStandby(sql: Sql): Promise<boolean> {
  const [{ standby }] = await sql<[{ standby: boolean }]>`select pg_is_in_recovery() as standby`;
  return standby;
}

/** When the database was created, in milliseconds since 1970. */
async function readAge(sql: Sql): Promise<number> {
  const [{ madeAt }] = await sql<[{ madeAt: Date }]>`
    select applied_at as "madeAt" from platform.schema_migrations order by applied_at limit 1`;
  return madeAt.getTime();
}
