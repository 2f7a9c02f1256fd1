/**
 * The embedded server's settings, for a development machine of two cores and a few GiB. Written at every start, so
 * `alter system` is the place for changes of one's own. Durability is PostgreSQL's default and is not listed:
 * fsync, full_page_writes and synchronous_commit are on.
 */
const SETTINGS: ReadonlyArray<readonly [name: string, value: string, reason: string]> = [
  ["listen_addresses", "127.0.0.1", "loopback only"],
  ["unix_socket_directories", "", "no socket file: its path may be too long, and nothing uses it"],
  ["max_connections", "60", "a handful of processes with small pools, the command line, a psql or two"],
  ["shared_buffers", "256MB", "the hot part of the transactions index; the rest is the page cache's"],
  ["work_mem", "8MB", "sorts of one batch of some thousand rows"],
  ["maintenance_work_mem", "64MB", "index builds and vacuum"],
  [
    "max_wal_size",
    "2GB",
    "bulk ingestion writes 50 MB/s: with the default 1 GB it would checkpoint every ten seconds",
  ],
  ["checkpoint_timeout", "5min", "bounds the recovery after a crash, and so the next start"],
  ["wal_level", "minimal", "nothing replicates from this server"],
  ["max_wal_senders", "0", "required by wal_level minimal"],
  ["jit", "off", "short statements: compiling takes longer than running them"],
  ["random_page_cost", "1.1", "solid state disks"],
  ["autovacuum_naptime", "15s", "lifecycle updates leave dead rows at the ingest rate"],
  ["client_connection_check_interval", "2s", "a killed client's running statement, and its locks, end soon"],
  ["timezone", "UTC", "the machine's zone must not show in any result"],
  ["log_timezone", "UTC", ""],
  ["log_line_prefix", "%m [%p] %d ", "which database, for the tests' many"],
  ["log_min_duration_statement", "1s", "statement texts only hold placeholders, never values"],
  ["log_parameter_max_length", "0", "parameters may be personal data: none in the log"],
  ["log_parameter_max_length_on_error", "0", ""],
];

/** The text of postgresql.conf. `settings` come last and win. */
export function postgresConfig(port: number, settings: Readonly<Record<string, string>>): string {
  const lines = SETTINGS.map(([name, value, reason]) => setting(name, value) + (reason && `  # ${reason}`));
  const own = Object.entries(settings).map(([name, value]) => setting(name, value));
  return `${["# Written at every start.", ...lines, setting("port", String(port)), ...own].join("\n")}\n`;
}

function setting(name: string, value: string): string {
  return `${name} = '${value.replaceAll("'", "''")}'`;
}
