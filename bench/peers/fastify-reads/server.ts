import type { FastifyInstance, FastifySchema } from "fastify";
import postgres, { type Sql } from "postgres";
import { ApiError, type RequestOf, ROUTES } from "#contract";
import { hashTokenSecret, isTokenSecret } from "#domain";
import { createPeerApp, listen, type PeerOptions, peerValidator, type RunningPeer } from "../peer-app.ts";
import { readMember, readTransaction } from "./records.ts";

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

/** A plain fastify service: the token from the database, the body checked, the record from the database. */
export async function startServer(options: PeerOptions): Promise<RunningPeer> {
  const sql = postgres(options.databaseUrl, { max: options.connections });
  const app = createPeerApp(options, (authorization) => authenticate(sql, authorization));
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
  return listen(app, sql, options.port);
}

function serve<R extends ReadRoute>(
  app: FastifyInstance,
  route: R,
  read: (organisation: string, body: RequestOf<R>) => Promise<object>,
): void {
  const schema: FastifySchema = { body: {}, response: { 200: ANSWERS[route] } };
  app.post(`/publisher.v1/${route}`, { schema, validatorCompiler: () => peerValidator(route) }, (request) =>
    // The validator has just proved the type.
    read(request.organisationId, request.body as RequestOf<R>),
  );
}

interface TokenRow {
  readonly organisation_id: string;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** From an `authorization` header to the organisation that may read: asked of the database for every request. */
export async function authenticate(sql: Sql, authorization: string): Promise<string> {
  const secret = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  const token = isTokenSecret(secret) ? await find(sql, secret) : undefined;
  const isOver = token?.expires_at != null && token.expires_at <= new Date();
  if (token === undefined || token.revoked_at !== null || isOver) {
    throw new ApiError("authentication_error", "the token is not valid");
  }
  return token.organisation_id;
}

async function find(sql: Sql, secret: string): Promise<TokenRow | undefined> {
  const [token] = await sql<TokenRow[]>`
    select organisation_id, expires_at, revoked_at from api_tokens
    where secret_hash = ${Buffer.from(hashTokenSecret(secret))}`;
  return token;
}
