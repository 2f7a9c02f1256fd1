import { randomBytes } from "node:crypto";
import fastify, { type FastifyInstance, type FastifySchema } from "fastify";
import postgres from "postgres";
import { ApiError, describeViolation, ERRORS, LIMITS, type RequestOf, ROUTES, VALIDATORS } from "#contract";
import { authenticate } from "./authenticate.ts";
import { readMember, readTransaction } from "./records.ts";

export interface ReadsPeerOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly port: number;
  readonly logLevel: string;
}

type ReadRoute = "member/get" | "transaction/get";

/** fastify writes an answer faster when it knows its schema. */
const ANSWERS: Readonly<Record<ReadRoute, object>> = {
  "member/get": {
    ...ROUTES["member/get"].answers[200],
    properties: {
      ...ROUTES["member/get"].answers[200].properties,
      // Of the types that an attribute may have, it would write a list as a string.
      attributes: { type: "object", additionalProperties: true },
    },
  },
  "transaction/get": ROUTES["transaction/get"].answers[200],
};

declare module "fastify" {
  interface FastifyRequest {
    organisationId: string;
  }
}

/** A plain fastify service: the token from the database, the body checked, the record from the database. */
export async function startServer(
  options: ReadsPeerOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const sql = postgres(options.databaseUrl, { max: options.connections });
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
    request.organisationId = await authenticate(sql, request.headers.authorization ?? "");
  });
  serve(app, "member/get", async (organisation, body) => {
    const member = await readMember(sql, organisation, body);
    if (member === undefined) throw new ApiError("not_found", "no such member", { resource: "member" });
    return member;
  });
  serve(app, "transaction/get", async (organisation, body) => {
    const transaction = await readTransaction(sql, organisation, body.external_id);
    if (transaction === undefined) {
      throw new ApiError("not_found", "no such transaction", { resource: "transaction" });
    }
    return transaction;
  });
  const url = await app.listen({ host: "127.0.0.1", port: options.port });
  return {
    url,
    async close() {
      await app.close();
      await sql.end();
    },
  };
}

function serve<R extends ReadRoute>(
  app: FastifyInstance,
  route: R,
  read: (organisation: string, body: RequestOf<R>) => Promise<object>,
): void {
  const schema: FastifySchema = { body: {}, response: { 200: ANSWERS[route] } };
  app.post(`/publisher.v1/${route}`, { schema, validatorCompiler: () => validator(route) }, (request) =>
    // The validator has just proved the type.
    read(request.organisationId, request.body as RequestOf<R>),
  );
}

/** The same generated validator as the real service; fastify takes an `error` as the refusal. */
function validator(route: ReadRoute): (body: unknown) => { error: Error } | { value: unknown } {
  const validate = VALIDATORS[route];
  return (body) => {
    if (validate(body)) return { value: body };
    const violation = validate.errors?.at(-1);
    const issue = violation ? describeViolation(violation) : { path: "", message: "is not valid" };
    return { error: new ApiError("bad_request", `${issue.path} ${issue.message}`, { issues: [issue] }) };
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
