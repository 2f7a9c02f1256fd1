import { ApiError, LIMITS } from "#contract";
import { encodeId } from "#domain";
import { badRequest, type HttpResponse, jsonResponse } from "#http";
import { constantText, type Fragment, type Sql } from "#postgres";
import type { Log } from "#runtime";
import { codeIn } from "./answer-code.ts";
import type { ConsoleEndpoint } from "./endpoint.ts";
import { type Identity, mayActAs, type Role } from "./roles.ts";

/** What is known of a request before it goes on. */
export interface AuditedRequest {
  readonly identity: Identity;
  /** UUID. */
  readonly organisationId: string | undefined;
  readonly action: string;
  readonly subject: string | undefined;
  readonly reason: string | undefined;
  /** A look-up whose subject is known, so that it may be told in the line of an earlier one. */
  readonly isJoining: boolean;
}

/** A line, and whether it was there already, for an earlier request. */
interface Line {
  readonly id: number;
  readonly isJoined: boolean;
}

/** In the text, where the planner sees how few lines that leaves: as a parameter it would be any share of them. */
const joinTime = constantText(`interval '${LIMITS.consoleAuditJoinMs} milliseconds'`);

/**
 * Writes a line before its request goes on, so that nothing is looked up or changed without one. A crash after this leaves a
 * line without an outcome, which says just that: the request may have taken effect, and nobody saw its end.
 *
 * A look-up of what the same person has begun to look up within the last minute is counted in that line: opening one page of
 * a member is one line, and what was asked for, how often and with which end is in it. The minute is that of the line's first
 * request, so whoever looks on for longer makes another line.
 */
export async function beginLine(sql: Sql, request: AuditedRequest): Promise<Line> {
  const { identity, organisationId, action, subject, reason, isJoining } = request;
  const [line] = await sql<[Line]>`
    with earlier as (
      select id from console_audit
      where ${isJoining} and joined is not null
        and at > now() - ${joinTime(sql)} and at <= now()
        and user_name = ${identity.user} and role = ${identity.role}
        and organisation_id is not distinct from ${organisationId} and subject = ${subject}
      order by at desc
      limit 1
    ), joined_line as (
      update console_audit set joined = joined || ${counted(sql, action, { open: 1 })}
      where id = (select id from earlier)
      returning id
    ), new_line as (
      insert into console_audit (user_name, role, organisation_id, action, subject, reason, joined)
      select ${identity.user}::text, ${identity.role}::text, ${organisationId}::uuid, ${action}::text,
        ${subject}::text, ${reason}::text, case when ${isJoining} then '{}'::jsonb end
      where not exists (select from joined_line)
      returning id
    )
    select id, true as "isJoined" from joined_line
    union all
    select id, false from new_line`;
  return line;
}

/** What `joined` says of an action, with so many more or less of each outcome; to be merged into it. */
function counted(sql: Sql, action: string, changes: Readonly<Record<string, number>>): Fragment {
  const known = sql`coalesce(joined -> ${action}::text, '{}')`;
  const counts = Object.entries(changes).reduce((all, [outcome, change]) => {
    const before = sql`coalesce((joined #>> array[${action}, ${outcome}])::int, 0)`;
    return sql`${all} || jsonb_build_object(${outcome}::text, ${before} + ${change}::int)`;
  }, known);
  return sql`jsonb_build_object(${action}::text, ${counts})`;
}

/** How a request of a line ended. */
interface Ended {
  readonly action: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Replaces what the line says that the request was about; undefined leaves it. */
  readonly subject: string | undefined;
}

/** Says how a request of a line ended. What the line is about never changes once others may have joined it. */
export async function completeLine(sql: Sql, { id, isJoined }: Line, ended: Ended): Promise<void> {
  const { action, outcome, subject } = ended;
  if (isJoined) {
    const counts = counted(sql, action, { open: -1, [outcome]: 1 });
    await sql`update console_audit set joined = joined || ${counts} where id = ${id}`;
    return;
  }
  await sql`
    update console_audit
    set outcome = ${outcome}, completed_at = now(),
      subject = case when joined is null then coalesce(${subject ?? null}, subject) else subject end
    where id = ${id}`;
}

const ROWS_PER_STEP = 1000;

/** Removes lines that are older than they are kept, in steps. @returns how many this step removed */
export async function sweepAudit(sql: Sql, keptDays: number): Promise<number> {
  const removed = await sql`
    delete from console_audit where id in (
      select id from console_audit
      where at < now() - ${keptDays} * interval '1 day'
      order by at limit ${ROWS_PER_STEP}
    )
    returning id`;
  return removed.length;
}

interface LineRow {
  readonly id: number;
  readonly at: Date;
  readonly user: string;
  readonly role: Role;
  readonly organisation: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly reason: string | null;
  readonly outcome: string | null;
  readonly joined: Joined | null;
}

/** How many look-ups joined a line, by action and outcome; `open` ones have none yet. */
type Joined = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** `audit`: the lines, newest first; administrators see all, others their own. */
export function auditEndpoint(sql: Sql): ConsoleEndpoint {
  return {
    route: "audit",
    role: "support",
    kind: "read",
    run: async ({ body, identity }) => {
      const before = readCursor(body.cursor);
      const rows = await findLines(
        sql,
        before,
        mayActAs(identity.role, "administrator") ? null : identity.user,
      );
      const entries = rows.slice(0, LIMITS.consoleAuditPage).map((row) => ({
        ...row,
        at: row.at.toISOString(),
        organisation: row.organisation === null ? null : encodeId("org", row.organisation),
        joined: showJoined(row.joined ?? {}),
      }));
      const last = rows.length > LIMITS.consoleAuditPage ? rows[LIMITS.consoleAuditPage - 1] : undefined;
      return jsonResponse(200, { entries, cursor: last === undefined ? null : String(last.id) });
    },
  };
}

/** `{explain: {ok: 2, open: 0}}` → `[{action: "explain", outcome: "ok", requests: 2}]`; who has no outcome yet has null. */
function showJoined(joined: Joined) {
  return Object.entries(joined).flatMap(([action, outcomes]) =>
    Object.entries(outcomes)
      .filter(([, requests]) => requests > 0)
      .map(([outcome, requests]) => ({ action, outcome: outcome === "open" ? null : outcome, requests })),
  );
}

function findLines(sql: Sql, before: number | null, user: string | null) {
  return sql<LineRow[]>`
    select id, at, user_name as "user", role, organisation_id as organisation, action, subject, reason, outcome,
      joined
    from console_audit
    where (${before}::bigint is null or id < ${before}) and (${user}::text is null or user_name = ${user})
    order by id desc
    limit ${LIMITS.consoleAuditPage + 1}`;
}

/** The number of the last line of the page before. It opens nothing: whose lines are seen depends on the caller alone. */
function readCursor(cursor: unknown): number | null {
  if (cursor === undefined || cursor === null) return null;
  if (typeof cursor === "string" && /^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw badRequest("the cursor is not ours", { path: "/cursor", message: "is not a cursor of the audit" });
}

/** Puts a line of the audit around requests. */
export class Audit {
  readonly #sql: Sql;
  readonly #log: Log;

  constructor(sql: Sql, log: Log) {
    this.#sql = sql;
    this.#log = log;
  }

  /**
   * @param subject what the request turned out to be about, asked for at its end
   * @throws what the line's writing throws, with nothing done
   */
  async around(
    request: AuditedRequest,
    run: () => Promise<HttpResponse>,
    subject: () => string | undefined,
  ): Promise<HttpResponse> {
    const line = await beginLine(this.#sql, request);
    const complete = (outcome: string) =>
      this.#complete(line, { action: request.action, outcome, subject: subject() });
    try {
      const response = await run();
      await complete(response.status < 400 ? "ok" : codeIn(response));
      return response;
    } catch (error) {
      await complete(error instanceof ApiError ? error.code : "internal_error");
      throw error;
    }
  }

  /** What was done is done: a line that cannot be completed stays without an outcome, and the caller is answered. */
  async #complete(line: Line, ended: Ended): Promise<void> {
    try {
      await completeLine(this.#sql, line, ended);
    } catch (error) {
      const { outcome } = ended;
      this.#log.error({ err: error, line: line.id, outcome }, "a line of the audit was not completed");
    }
  }
}
