import postgres from "postgres";
import { inTurn } from "../kit/contenders.ts";
import { median } from "../kit/timeline.ts";
import type { Database, RunResult } from "./arena.ts";
import { type IngestArena, readyContender, runAtBest } from "./contenders.ts";
import type { Results } from "./results.ts";
import { settle } from "./settle.ts";
import { EPOCH_MS } from "./world.ts";

const SIZE = 500;
const ROWS_PER_STATEMENT = 1_000_000;

/** The same load on an empty table and on one that already has `rows` rows, in turn. */
export async function measureGrowth(arena: IngestArena, results: Results): Promise<void> {
  const { rows, repetitions } = arena.options;
  const empty = await readyContender(arena, "stampede", SIZE);
  const full = await readyContender(arena, "stampede", SIZE);
  await seedRows(arena, full.database, rows);
  const [ofEmpty = [], ofFull = []] = await inTurn(
    [empty, full],
    repetitions,
    (progress) => arena.say(`${progress}: an empty table, then ${rows} rows`),
    (ready, repetition) => runAtBest(arena, ready, SIZE, repetition),
  );
  const middle = (of: readonly RunResult[]) => median(of, ({ measured }) => measured.eventsPerSecond);
  results.growth = { rows, empty: middle(ofEmpty), full: middle(ofFull) };
  await settle(arena, results, empty.subject, empty.database);
  await settle(arena, results, full.subject, full.database);
}

/**
 * Rows of the time before the workload, made by the database itself. Their ids are UUIDv7 texts in order,
 * like rows of the last months; they sort before all rows of the runs, so the comparison leaves them out.
 */
async function seedRows(arena: IngestArena, database: Database, rows: number): Promise<void> {
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  try {
    for (let from = 0; from < rows; from += ROWS_PER_STATEMENT) {
      arena.say(`making rows: ${from} of ${rows}`);
      await sql`
        with member as materialized (
          select array_agg(id) as ids, count(*)::int as total from members
        )
        insert into transactions (
          authed_at, organisation_id, id, amount, cleared_at, member_id, external_id, state, network,
          merchant_id, identifier_6, identifier_8, statement_descriptor, currency
        )
        select
          to_timestamp(k.ms / 1000.0), ${arena.world.organisationId}, gen_random_uuid(), 100 + n % 20000,
          to_timestamp(k.ms / 1000.0), member.ids[1 + n % member.total],
          substr(k.hex, 1, 8) || '-' || substr(k.hex, 9, 4) || '-7' || substr(k.hash, 1, 3) || '-8'
            || substr(k.hash, 4, 3) || '-' || substr(k.hash, 7, 12),
          'cleared', 'visa', 'MID-' || n % 5000, sha256(n::text::bytea), sha256((-n)::text::bytea),
          'SHOP ' || n % 5000 || ' BERLIN DE', 'EUR'
        from generate_series(${from + 1}::int, ${Math.min(rows, from + ROWS_PER_STATEMENT)}::int) as n
        cross join member
        cross join lateral (
          select b.ms, lpad(to_hex(b.ms), 12, '0') as hex, md5(n::text) as hash
          from (select ${EPOCH_MS}::bigint - ${rows}::bigint + n as ms) b
        ) k`;
    }
    arena.say("vacuum");
    await sql`vacuum analyze transactions`;
  } finally {
    await sql.end();
  }
}
