import { randomBytes } from "node:crypto";
import fastify, { type FastifyInstance } from "fastify";
import type postgres from "postgres";
import { ApiError, ERRORS, LIMITS, type RouteName } from "#contract";
import { describeViolation, VALIDATORS } from "#contract/validation";
import { hashTokenSecret, isTokenSecret, type TransactionState } from "#domain";

export interface PeerOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly port: number;
  readonly logLevel: string;
  /** For the peer that publishes its changes: the server, and the stream. */
  readonly outbox?: { readonly natsUrl: string; readonly stream: string } | undefined;
}

export interface RunningPeer {
  readonly url: string;
  close(): Promise<void>;
}

declare module "fastify" {
  interface FastifyRequest {
    organisationId: string;
  }
}

/**
 * The usual beginning of a good fastify service: trace ids, the caller's organisation on every request,
 * errors in the envelope of the contract.
 * @param findOrganisation by the `authorization` header; throws an `ApiError` to refuse
 */
export function createPeerApp(
  { logLevel }: PeerOptions,
  findOrganisation: (authorization: string) => string | Promise<string>,
): FastifyInstance {
  const app = fastify({
    logger: { level: logLevel },
    bodyLimit: LIMITS.bodyBytes,
    genReqId: () => randomBytes(16).toString("hex"),
    // The schema refuses unknown properties, including `__proto__`: the plain JSON.parse is safe, and faster.
    onProtoPoisoning: "ignore",
    onConstructorPoisoning: "ignore",
  });
  answerErrors(app);
  app.decorateRequest("organisationId", "");
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-trace-id", request.id);
    request.organisationId = await findOrganisation(request.headers.authorization ?? "");
  });
  return app;
}

/** Maps an `authorization` header to the grant of its token; throws an `ApiError` if it has none. */
export async function findToken(sql: postgres.Sql, authorization: string): Promise<Grant> {
  const secret = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  const [grant] = isTokenSecret(secret)
    ? await sql<Grant[]>`
        select organisation_id as "organisationId", access from api_tokens
        where secret_hash = ${Buffer.from(hashTokenSecret(secret))}
          and revoked_at is null and (expires_at is null or expires_at > now())`
    : [];
  if (grant === undefined) throw new ApiError("authentication_error", "the token is not valid");
  return grant;
}

interface Grant {
  readonly organisationId: string;
  readonly access: string;
}

/** The same generated validator as in the real service; fastify takes an `error` as the refusal. */
export function peerValidator(route: RouteName): (body: unknown) => { error: Error } | { value: unknown } {
  const validate = VALIDATORS[route];
  return (body) => {
    if (validate(body)) return { value: body };
    const violation = validate.errors?.at(-1);
    const issue = violation ? describeViolation(violation) : { path: "", message: "is not valid" };
    return { error: new ApiError("bad_request", `${issue.path} ${issue.message}`, { issues: [issue] }) };
  };
}

export async function listen(app: FastifyInstance, sql: postgres.Sql, port: number): Promise<RunningPeer> {
  const url = await app.listen({ host: "127.0.0.1", port });
  return {
    url,
    async close() {
      await app.close();
      await sql.end();
    },
  };
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    if (!(error instanceof ApiError)) request.log.error(error);
    const known = error instanceof ApiError ? error : new ApiError("internal_error", "the service failed");
    const { code, message, data } = known;
    const status = error instanceof ApiError ? ERRORS[code].status : (error.statusCode ?? 500);
    void reply.status(status).send({ error: { code, message, data, trace_id: request.id } });
  });
}

/** Runs a peer in this process, until its parent ends it. */
export async function runPeer(start: (options: PeerOptions) => Promise<RunningPeer>): Promise<void> {
  const { OUTBOX_STREAM: stream, NATS_URL: natsUrl } = process.env;
  const server = await start({
    databaseUrl: process.env.DATABASE_URL ?? "",
    connections: Number(process.env.DATABASE_CONNECTIONS ?? 8),
    port: Number(process.env.PORT ?? 3000),
    logLevel: process.env.LOG_LEVEL ?? "info",
    outbox: stream && natsUrl ? { stream, natsUrl } : undefined,
  });
  process.send?.({ kind: "ready", url: server.url });
  const stop = (): void => void server.close().then(() => process.exit(0));
  process.on("SIGTERM", stop);
  process.on("disconnect", stop);
}

/** The columns of `transactions` that both peers read. */
export interface StoredRow {
  readonly external_id: string;
  readonly member_id: string | null;
  readonly state: TransactionState;
  readonly network: string;
  readonly merchant_id: string;
  readonly statement_descriptor: string | null;
  /** bigint: postgres.js returns it as text. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly authed_at: Date;
  readonly cleared_at: Date | null;
  readonly reverted_at: Date | null;
  readonly identifier_6: Buffer;
  readonly identifier_8: Buffer | null;
}
