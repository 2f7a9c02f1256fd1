import { randomBytes } from "node:crypto";
import fastify, { type FastifyInstance } from "fastify";
import type postgres from "postgres";
import { ApiError, describeViolation, ERRORS, LIMITS, type RouteName, VALIDATORS } from "#contract";

export interface PeerOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly port: number;
  readonly logLevel: string;
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
 * What any good fastify service begins with: trace ids, the caller's organisation on every request, errors in the
 * envelope of the contract.
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
    // The schema refuses unknown properties, `__proto__` among them: the plain JSON.parse is safe, and faster.
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

/** The same generated validator as the real service; fastify takes an `error` as the refusal. */
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
