import type { Sql } from "#postgres";

/** How processes of this version appear in pg_stat_activity; older ones have other names. */
export const APPLICATION_NAME = "stampede-webhooks-3";
/** The oldest first. */
const OLDER_NAMES = ["stampede-webhooks", "stampede-webhooks-2"] as const;
type OlderName = (typeof OLDER_NAMES)[number];

/**
 * Whether a process reads `webhook_announcements`. A process that does not would skip the events of a
 * postponed announcement and announce later ones, and the webhook would never get them.
 */
export function knowsAnnouncements(name: OlderName): boolean {
  return name !== "stampede-webhooks";
}

/** How long an answer is reused: a process that starts meanwhile has leased nothing yet. */
const KNOWN_MS = 500;

/** Finds connected processes of older versions. Each keeps connections open, because it looks for events four times a second. */
export class OlderProcesses {
  readonly #sql: Sql;
  #known: { readonly at: number; readonly names: readonly OlderName[] } | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async connected(): Promise<readonly OlderName[]> {
    const at = performance.now();
    if (this.#known !== undefined && at - this.#known.at < KNOWN_MS) return this.#known.names;
    const rows = await this.#sql<{ name: OlderName }[]>`
      select distinct application_name as name from pg_stat_activity
      where datname = current_database() and application_name = any(${OLDER_NAMES as readonly string[]}::text[])`;
    this.#known = { at, names: rows.map(({ name }) => name) };
    return this.#known.names;
  }
}
