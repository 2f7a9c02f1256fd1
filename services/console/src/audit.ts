import { ApiError, LIMITS } from "#contract";
import { encodeId } from "#domain";
import { badRequest, type HttpResponse, jsonResponse } from "#http";
import type { Sql } from "#postgres";
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
}

/**
 * Writes a line before its request goes on, so that nothing is looked up or changed without one. A crash after this leaves a
 * line without an outcome, which says just that: the request may have taken effect, and nobody saw its end.
 * @returns the line's number
 */
export async function beginLine(sql: Sql, request: AuditedRequest): Promise<number> {
  const { identity, organisationId, action, subject, reason } = request;
  const [line] = await sql<[{ id: number }]>`
    insert into console_audit (user_name, role, organisation_id, action, subject, reason)
    values (${identity.user}, ${identity.role}, ${organisationId}, ${action}, ${subject}, ${reason})
    returning id`;
  return line.id;
}

/**
 * Says how the request of a line ended.
 * @param outcome `ok`, or the code of the error
 * @param subject replaces what the line says that the request was about; undefined leaves it
 */
export async function completeLine(
  sql: Sql,
  id: number,
  outcome: string,
  subject: string | undefined,
): Promise<void> {
  await sql`
    update console_audit
    set outcome = ${outcome}, completed_at = now(), subject = coalesce(${subject ?? null}, subject)
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
      }));
      const last = rows.length > LIMITS.consoleAuditPage ? rows[LIMITS.consoleAuditPage - 1] : undefined;
      return jsonResponse(200, { entries, cursor: last === undefined ? null : String(last.id) });
    },
  };
}

function findLines(sql: Sql, before: number | null, user: string | null) {
  return sql<LineRow[]>`
    select id, at, user_name as "user", role, organisation_id as organisation, action, subject, reason, outcome
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
    const id = await beginLine(this.#sql, request);
    try {
      const response = await run();
      await this.#complete(id, response.status < 400 ? "ok" : codeIn(response), subject());
      return response;
    } catch (error) {
      await this.#complete(id, error instanceof ApiError ? error.code : "internal_error", subject());
      throw error;
    }
  }

  /** What was done is done: a line that cannot be completed stays without an outcome, and the caller is answered. */
  async #complete(id: number, outcome: string, subject: string | undefined): Promise<void> {
    try {
      await completeLine(this.#sql, id, outcome, subject);
    } catch (error) {
      this.#log.error({ err: error, line: id, outcome }, "a line of the audit was not completed");
    }
  }
}
