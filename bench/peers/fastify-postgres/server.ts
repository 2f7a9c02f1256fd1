import { randomBytes } from "node:crypto";
import fastify, { type FastifyInstance } from "fastify";
import postgres from "postgres";
import { ApiError, describeViolation, ERRORS, LIMITS, VALIDATORS } from "#contract";
import { createIngest, type IngestBody } from "./ingest.ts";
import { createTokenCache } from "./token-cache.ts";

export interface PeerOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly port: number;
  readonly logLevel: string;
}

const PROCESSED = {
  type: "object",
  properties: {
    status: { type: "string" },
    accepted: { type: "integer" },
    created: { type: "integer" },
    updated: { type: "integer" },
    unchanged: { type: "integer" },
  },
} as const;

declare module "fastify" {
  interface FastifyRequest {
    organisationId: string;
  }
}

/** One process of the peer: a plain fastify service that does all the work of a request in the request. */
export async function startServer(options: PeerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const sql = postgres(options.databaseUrl, { max: options.connections });
  const findOrganisation = createTokenCache(sql);
  const ingest = createIngest(sql);
  const app = fastify({
    logger: { level: options.logLevel },
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
  app.post<{ Body: IngestBody }>(
    "/publisher.v1/transaction/ingest",
    { schema: { body: {}, response: { 200: PROCESSED } }, validatorCompiler: () => validateIngest },
    (request) => ingest(request.organisationId, request.body.events),
  );
  const url = await app.listen({ host: "127.0.0.1", port: options.port });
  return {
    url,
    async close() {
      await app.close();
      await sql.end();
    },
  };
}

/** The same generated validator as the real service; fastify takes an `error` as the refusal. */
function validateIngest(body: unknown): { error: Error } | { value: unknown } {
  const validate = VALIDATORS["transaction/ingest"];
  if (validate(body)) return { value: body };
  const violation = validate.errors?.at(-1);
  const issue = violation ? describeViolation(violation) : { path: "", message: "is not valid" };
  return { error: new ApiError("bad_request", `${issue.path} ${issue.message}`, { issues: [issue] }) };
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
