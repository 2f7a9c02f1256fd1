import type { Sql } from "#postgres";

/** The processes of this version in pg_stat_activity; those before it have other names. */
export const APPLICATION_NAME = "stampede-webhooks-3";
/** The oldest first. */
const OLDER_NAMES = ["stampede-webhooks", "stampede-webhooks-2"] as const;
type OlderName = (typeof OLDER_NAMES)[number];

/**
 * Whether a process reads `webhook_announcements`. Where an announcement was put off, one that does not would announce what
 * comes later and pass over what came before, and the webhook would never be told of it.
 */
export function knowsAnnouncements(name: OlderName): boolean {
  return name !== "stampede-webhooks";
}

/**
 * Whether a process tells stopped webhooks too. Beside one all do: it may lease one that was started, deliver what it was told
 * of, and take it for all there is.
 */
export function tellsStopped(_name: OlderName): boolean {
  return true;
}

/** How long an answer holds: a process that starts meanwhile has nothing leased yet. */
const KNOWN_MS = 500;

/** Which processes of older versions are connected. Each keeps connections open, since it looks for events four times a second. */
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
