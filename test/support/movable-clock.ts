import postgres from "postgres";

/** Two days after the times of most test events. */
const START_MS = Date.parse("2026-05-02T00:00:00Z");

/**
 * A database whose `now()` stands still until a test moves it. All decisions by time are made by the database's `now()`, so
 * tests need not wait for 72 hours of failures or 30 days of keeping.
 *
 * Connections made from here on find names without a schema in `test_clock` before `pg_catalog`. Names that were bound before
 * stay as they were: defaults of columns, `clock_timestamp()`, and every other database.
 */
export class MovableClock {
  readonly #url: string;
  #ms: number;

  private constructor(url: string, startMs: number) {
    this.#url = url;
    this.#ms = startMs;
  }

  /** @param url of a database of the test's own */
  static async install(url: string, startMs = START_MS): Promise<MovableClock> {
    await execute(
      url,
      `create schema test_clock;
       create table test_clock.time (at timestamptz not null);
       insert into test_clock.time values ('${new Date(startMs).toISOString()}');
       create function test_clock.now() returns timestamptz language plpgsql stable as
         'begin return (select at from test_clock.time); end';
       do $$ begin
         execute format('alter database %I set search_path = test_clock, pg_catalog, public', current_database());
       end $$`,
    );
    return new MovableClock(url, startMs);
  }

  get now(): Date {
    return new Date(this.#ms);
  }

  in(ms: number): Date {
    return new Date(this.#ms + ms);
  }

  async pass(ms: number): Promise<void> {
    this.#ms += ms;
    await execute(this.#url, `update test_clock.time set at = at + interval '${ms} milliseconds'`);
  }
}

async function execute(url: string, text: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}
