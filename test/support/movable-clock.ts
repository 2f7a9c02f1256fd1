import postgres from "postgres";

/** Two days after what test events say of themselves. */
const START_MS = Date.parse("2026-05-02T00:00:00Z");

/**
 * A database whose `now()` stands still until a test moves it. What decides by time does so by the database's `now()`, and
 * 72 hours of failures or 30 days of keeping are not waited for.
 *
 * Names without a schema are found in `test_clock` before `pg_catalog`, for connections that are made from here on. What was
 * bound before is as it was: defaults of columns, `clock_timestamp()`, and every other database.
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
