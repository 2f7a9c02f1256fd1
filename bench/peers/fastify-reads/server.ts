import type { FastifyInstance, FastifySchema } from "fastify";
import postgres from "postgres";
import { ApiError, type RequestOf, ROUTES } from "#contract";
import {
  createPeerApp,
  findToken,
  listen,
  type PeerOptions,
  peerValidator,
  type RunningPeer,
} from "../peer-app.ts";
import { readMember, readTransaction } from "./records.ts";

type ReadRoute = "member/get" | "transaction/get";

/** fastify writes an answer faster if it knows its schema. */
const ANSWERS: Readonly<Record<ReadRoute, object>> = {
  "member/get": {
    ...ROUTES["member/get"].answers[200],
    properties: {
      ...ROUTES["member/get"].answers[200].properties,
      // From the types that an attribute may have, it would write a list as a string.
      attributes: { type: "object", additionalProperties: true },
    },
  },
  "transaction/get": ROUTES["transaction/get"].answers[200],
};

/** A plain fastify service: looks the token up, checks the body, reads the record. */
export async function startServer(options: PeerOptions): Promise<RunningPeer> {
  const sql = postgres(options.databaseUrl, { max: options.connections });
  const app = createPeerApp(
    options,
    async (authorization) => (await findToken(sql, authorization)).organisationId,
  );
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
