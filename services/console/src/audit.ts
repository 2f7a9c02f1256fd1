import { ApiError, ERRORS, type ErrorCode, LIMITS } from "#contract";
import { encodeId } from "#domain";
import { type HttpResponse, jsonResponse } from "#http";
import { constantText, type Sql } from "#postgres";
import type { Log } from "#runtime";
import type { AuditEntry } from "./audit-entry.ts";
import { changeWords, type FieldChange } from "./changed-fields.ts";
import type { ConsoleEndpoint } from "./endpoint.ts";
import { readCursor } from "./read-request.ts";
import { type Identity, mayActAs } from "./roles.ts";

/** A request, as its line shows it. */
interface AuditedRequest {
  readonly identity: Identity;
  /** UUID. */
  readonly organisationId: string | undefined;
  readonly action: string;
  readonly subject: string | undefined;
  readonly reason: string | undefined;
  /** The fields that a change of a record sets. */
  readonly changes: readonly FieldChange[] | undefined;
  /** A look-up whose subject is known, so that it may join the line of an earlier one. */
  readonly isJoining: boolean;
}

/** A line, and whether an earlier request wrote it. */
interface Line {
  readonly id: number;
  readonly isJoined: boolean;
}

/**
 * Within the text, so that the planner knows how few lines this leaves; for a parameter it would assume any
 * share.
 */
const joinTime = constantText(`interval '${LIMITS.consoleAuditJoinMs} milliseconds'`);

/**
 * Writes a line before its request goes on, so that no look-up and no change is without one. A crash after this leaves a line
 * without an outcome: the request may have taken effect.
 *
 * A look-up joins the line of the same user about the same subject if that line was begun within the last minute. So one page
 * of a member is one line, which counts its look-ups by action and outcome. A user who looks on for longer makes another line.
 *
 * Rows are only inserted: the console's role may not update them (`rights.sql`).
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

/** The end of a request of a line. */
interface Ended {
  readonly action: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Replaces the subject of the line; undefined leaves it. A line that may be joined keeps its own. */
  readonly subject: string | undefined;
}

/** Adds the outcome of a request to its line. */
export async function completeLine(sql: Sql, { id, isJoined }: Line, ended: Ended): Promise<void> {
  const { action, outcome, subject } = ended;
  await sql`
    insert into console_audit_steps (line, joined, action, outcome, subject)
    values (${id}, ${isJoined}, ${action}, ${outcome}, ${subject})`;
}

/** A line in the database: its organisation is a UUID. */
interface LineRow extends Omit<AuditEntry, "at" | "changes"> {
  readonly at: Date;
  readonly changes: readonly FieldChange[];
}

/** `audit`: the lines, newest first; administrators see all, others their own. */
export function auditEndpoint(sql: Sql): ConsoleEndpoint {
  return {
    route: "audit",
    role: "support",
    kind: "read",
    run: async ({ body, identity }) => {
      const user = mayActAs(identity.role, "administrator") ? null : identity.user;
      const rows = await findLines(sql, readCursor(body) ?? null, user);
      const data = rows.slice(0, LIMITS.consoleAuditPage).map(toEntry);
      const cursor = rows.length > data.length ? String(data.at(-1)?.id) : null;
      return jsonResponse(200, { data, page: { cursor } });
    },
  };
}

function toEntry(row: LineRow): AuditEntry {
  return {
    ...row,
    at: row.at.toISOString(),
    organisation: row.organisation === null ? null : encodeId("org", row.organisation),
    changes: row.changes.map(changeWords),
  };
}

/**
 * A look-up that joined has two steps once it has ended; so the open ones are the first steps minus the
 * second.
 */
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

/** Writes the lines of requests. */
export class Audit {
  readonly #sql: Sql;
  readonly #log: Log;

  constructor(sql: Sql, log: Log) {
    this.#sql = sql;
    this.#log = log;
  }

  /**
   * @param subject called at the end, when the subject is known
   * @throws what `beginLine` throws, before `run` is called
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
      await complete(codeIn(response));
      return response;
    } catch (error) {
      await complete(error instanceof ApiError ? error.code : "internal_error");
      throw error;
    }
  }

  /** The request has been made: a line that cannot be completed stays without an outcome, and the caller gets the answer. */
  async #complete(line: Line, ended: Ended): Promise<void> {
    try {
      await completeLine(this.#sql, line, ended);
    } catch (error) {
      const { outcome } = ended;
      this.#log.error({ err: error, line: line.id, outcome }, "a line of the audit was not completed");
    }
  }
}

/** The code of an answer, the console's own or one of an API that is passed on. */
export function codeIn({ status, body }: HttpResponse): ErrorCode | "ok" {
  if (status < 400) return "ok";
  const { error } = JSON.parse(String(body)) as { error?: { code?: string } };
  return error?.code !== undefined && error.code in ERRORS ? (error.code as ErrorCode) : "internal_error";
}
