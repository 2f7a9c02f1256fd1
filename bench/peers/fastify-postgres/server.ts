import postgres, { type Sql } from "postgres";
import { ApiError } from "#contract";
import { createLog } from "#runtime";
import {
  createPeerApp,
  findToken,
  listen,
  type PeerOptions,
  peerValidator,
  type RunningPeer,
} from "../peer-app.ts";
import { createIngest, type IngestBody } from "./ingest.ts";
import { startOutbox } from "./outbox.ts";

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

/** One process of the peer: a plain fastify service that does all its work within the request. */
export async function startServer(options: PeerOptions): Promise<RunningPeer> {
  const sql = postgres(options.databaseUrl, { max: options.connections });
  const { databaseUrl, outbox, logLevel } = options;
  const log = createLog({ service: "peer", level: logLevel });
  const relay = outbox && (await startOutbox({ databaseUrl, ...outbox, log }));
  const ingest = createIngest(sql, relay);
  const app = createPeerApp(options, createTokenCache(sql));
  app.addHook("onClose", () => relay?.stop());
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

/** A revocation is noticed after this time, as in most services. */
const TTL_MS = 5_000;
const ENTRIES = 1_000;

interface Grant {
  readonly organisationId: string;
  readonly until: number;
}

/** Maps an `authorization` header to the organisation that may write. */
function createTokenCache(sql: Sql): (authorization: string) => Promise<string> {
  const cache = new Map<string, Grant>();
  return async (authorization) => {
    const cached = cache.get(authorization);
    if (cached !== undefined && cached.until > Date.now()) return cached.organisationId;
    const { organisationId, access } = await findToken(sql, authorization);
    if (access !== "write") {
      throw new ApiError("authorization_error", "the token may only read", { required: "write" });
    }
    if (cache.size >= ENTRIES) cache.clear();
    cache.set(authorization, { organisationId, until: Date.now() + TTL_MS });
    return organisationId;
  };
}
