import postgres from "postgres";
import { createPeerApp, listen, type PeerOptions, peerValidator, type RunningPeer } from "../peer-app.ts";
import { createIngest, type IngestBody } from "./ingest.ts";
import { createTokenCache } from "./token-cache.ts";

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

/** One process of the peer: a plain fastify service that does all the work of a request in the request. */
export async function startServer(options: PeerOptions): Promise<RunningPeer> {
  const sql = postgres(options.databaseUrl, { max: options.connections });
  const ingest = createIngest(sql);
  const app = createPeerApp(options, createTokenCache(sql));
  app.post<{ Body: IngestBody }>(
    "/publisher.v1/transaction/ingest",
    {
      schema: { body: {}, response: { 200: PROCESSED } },
      validatorCompiler: () => peerValidator("transaction/ingest"),
    },
    (request) => ingest(request.organisationId, request.body.events),
  );
  return listen(app, sql, options.port);
}
