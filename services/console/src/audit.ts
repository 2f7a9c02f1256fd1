import { ApiError, LIMITS } from "#contract";
import { encodeId } from "#domain";
import { badRequest, type HttpResponse, jsonResponse } from "#http";
import { constantText, type Sql } from "#postgres";
import type { Log } from "#runtime";
import { codeIn } from "./answer-code.ts";
import type { FieldChange } from "./changed-fields.ts";
import { changeWords } from "./changed-fields.ts";
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
  /** What a change is going to change, if it is of a record. */
  readonly changes: readonly FieldChange[] | undefined;
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
 * A look-up of what the same person has begun to look up within the last minute is a step of that line: opening one page of
 * a member is one line, and what was asked for, how often and with which end is in it. The minute is that of the line's first
 * request, so whoever looks on for longer makes another line.
 *
 * All of it is added and nothing is changed: the console's role may do no more (`rights.sql`).
 */
export async function beginLine(sql: Sql, request: AuditedRequest): Promise<Line> {
  const { identity, organisationId, action, subject, reason, changes, isJoining } = request;
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
      insert into console_audit_steps (line, joined, action)
      select id, true, ${action}::text from earlier
      returning line as id
    ), new_line as (
      insert into console_audit (user_name, role, organisation_id, action, subject, reason, changes, joined)
      select ${identity.user}::text, ${identity.role}::text, ${organisationId}::uuid, ${action}::text,
        ${subject}::text, ${reason}::text, ${changes && JSON.stringify(changes)}::text::jsonb,
        case when ${isJoining} then '{}'::jsonb end
      where not exists (select from earlier)
      returning id
    )
    select id, true as "isJoined" from joined_line
    union all
    select id, false from new_line`;
  return line;
}

/** How a request of a line ended. */
interface Ended {
  readonly action: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Replaces what the line says that the request was about; undefined leaves it. Of one that may be joined it is left. */
  readonly subject: string | undefined;
}

/** Says how a request of a line ended. */
export async function completeLine(sql: Sql, { id, isJoined }: Line, ended: Ended): Promise<void> {
  const { action, outcome, subject } = ended;
  await sql`
    insert into console_audit_steps (line, joined, action, outcome, subject)
    values (${id}, ${isJoined}, ${action}, ${outcome}, ${subject})`;
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
  readonly joined: readonly JoinedLookUps[];
  readonly changes: readonly FieldChange[];
}

/** Look-ups that joined a line: of one action, with one end; null: with none yet. */
interface JoinedLookUps {
  readonly action: string;
  readonly outcome: string | null;
  readonly requests: number;
}

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
        changes: row.changes.map(changeWords),
      }));
      const last = rows.length > LIMITS.consoleAuditPage ? rows[LIMITS.consoleAuditPage - 1] : undefined;
      return jsonResponse(200, { entries, cursor: last === undefined ? null : String(last.id) });
    },
  };
}

/** Steps of a look-up that joined are two once it has ended: what began and did not end is what is open. */
function findLines(sql: Sql, before: number | null, user: string | null) {
  return sql<LineRow[]>`
    with lines as (
      select id, at, user_name as "user", role, organisation_id as organisation, action, subject, reason,
        outcome, coalesce(changes, '[]') as changes, joined is not null as may_be_joined
      from console_audit
      where (${before}::bigint is null or id < ${before}) and (${user}::text is null or user_name = ${user})
      order by id desc
      limit ${LIMITS.consoleAuditPage + 1}
    )
    select l.id, l.at, l."user", l.role, l.organisation, l.action,
      case when l.may_be_joined then l.subject else coalesce(own.subject, l.subject) end as subject,
      l.reason, coalesce(own.outcome, l.outcome) as outcome, l.changes, coalesce(others.joined, '[]') as joined
    from lines l
    left join lateral (
      select outcome, subject from console_audit_steps where line = l.id and not joined order by id limit 1
    ) own on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('action', action, 'outcome', outcome, 'requests', requests)
        order by action, outcome) as joined
      from (
        select action, outcome, count(*)::int as requests
        from console_audit_steps where line = l.id and joined and outcome is not null
        group by action, outcome
        union all
        select action, null, (count(*) filter (where outcome is null) - count(outcome))::int
        from console_audit_steps where line = l.id and joined
        group by action
      ) counted
      where requests > 0
    ) others on true
    order by l.id desc`;
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
