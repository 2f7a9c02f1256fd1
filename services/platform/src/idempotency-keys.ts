import { hkdfSync } from "node:crypto";
import { ApiError, LIMITS } from "#contract";
import { PLATFORM_ROUTES, type PlatformRouteDefinition, type PlatformRouteName } from "#contract/platform";
import { NIL_UUID } from "#domain";
import { keyConflict, readIdempotencyKey } from "#http";
import { answerOnce, type KeptAnswer, keptAnswerContext, type Sql, type Store } from "#postgres";
import { SecretBox } from "#runtime";
import type { PlatformCall } from "./endpoint.ts";

/** The table of the platform's idempotency keys, and their only owner. */
export const PLATFORM_KEYS = {
  table: "platform.idempotency_keys",
  organisationId: NIL_UUID,
} as const;

/**
 * Repeats the first answer of an upsert that makes a record, if the same key and body come again within a day
 * (contract, sections 5 and 8). A refusal is not kept: the caller may remove its cause and send the same
 * request again.
 * @param work makes the record with the given `sql`, a database transaction if there is a key, and resolves
 * to the answer's body
 */
export async function makeOnce(
  store: Store,
  route: PlatformRouteName,
  call: PlatformCall,
  work: (sql: Store | Sql) => Promise<object>,
): Promise<object> {
  const given = readIdempotencyKey(call);
  if (given === undefined) return work(store);
  const request = { ...PLATFORM_KEYS, route, ...given };
  const { repeatable }: PlatformRouteDefinition = PLATFORM_ROUTES[route];
  const secrets = repeatable?.secretInAnswer ? callersBox(call) : undefined;
  const context = keptAnswerContext(request);
  const answered = await answerOnce<object>(store, request, LIMITS.idempotencyKeyKeptMs, {
    run: work,
    readRefusal: () => undefined,
    keep: (body) => {
      const bytes = Buffer.from(JSON.stringify(body));
      return secrets === undefined
        ? { status: 200, keyId: null, bytes }
        : { status: 200, ...secrets.seal(bytes, context) };
    },
  });
  switch (answered.kind) {
    case "first":
      return answered.outcome;
    case "again":
      return JSON.parse(Buffer.from(openAnswer(answered.answer, secrets, context)).toString());
    default:
      throw keyConflict(answered.kind);
  }
}

/**
 * Seals with a key derived from the caller's token. The repeated request brings the token, and the database
 * has only its hash: so the platform needs neither an encryption key of its own nor the publisher's. The
 * token is 32 random bytes, so a slow key derivation would add nothing.
 */
function callersBox(call: PlatformCall): SecretBox {
  const token = (call.header("authorization") ?? "").split(" ").at(-1) ?? "";
  const key = Buffer.from(hkdfSync("sha256", token, "", "stampede kept answer", 32));
  return new SecretBox(`${CALLERS_KEY}:${key.toString("base64")}`);
}

/** The `key_id` of such an answer. */
const CALLERS_KEY = "caller";

function openAnswer({ keyId, bytes }: KeptAnswer, secrets: SecretBox | undefined, context: string) {
  if (secrets === undefined) return bytes;
  try {
    // An answer without a key id is from a version that left the secret out.
    if (keyId !== null) return secrets.open({ keyId, bytes }, context);
  } catch {
    // The caller uses another token of the platform.
  }
  throw new ApiError(
    "conflict",
    "the request was answered before, to another token, and its answer holds a secret; look for what it made, or send it " +
      "with another idempotency key",
    { reason: "answer_unreadable" },
  );
}
