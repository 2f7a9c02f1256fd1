import { hkdfSync } from "node:crypto";
import { ApiError, LIMITS } from "#contract";
import { PLATFORM_ROUTES, type PlatformRouteDefinition, type PlatformRouteName } from "#contract/platform";
import { keyConflict, readIdempotencyKey } from "#http";
import { answerOnce, type KeptAnswer, keptAnswerContext, type Sql, type Store } from "#postgres";
import { SecretBox } from "#runtime";
import type { PlatformCall } from "./endpoint.ts";

/** Where the platform keeps its idempotency keys, and their one owner. */
export const PLATFORM_KEYS = {
  table: "platform.idempotency_keys",
  organisationId: "00000000-0000-0000-0000-000000000000",
} as const;

/**
 * Lets an upsert that makes a record give its first answer again to the same key and body, for a day (contract, sections 5
 * and 8). A refusal is not remembered: a caller that has mended its cause may send the same request again.
 * @param work makes the record with the `sql` that it is given, a database transaction if there is a key, and resolves to
 *   the answer's body
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
 * Seals under a key that is made of the caller's own token. Whoever repeats the request brings it, and the database has only
 * a hash of it: so the platform needs no encryption key of its own, nor one that opens the publisher's secrets. The token is 32
 * random bytes, so a key derivation that is slow on purpose would add nothing.
 */
function callersBox(call: PlatformCall): SecretBox {
  const token = (call.header("authorization") ?? "").split(" ").at(-1) ?? "";
  const key = Buffer.from(hkdfSync("sha256", token, "", "stampede kept answer", 32));
  return new SecretBox(`${CALLERS_KEY}:${key.toString("base64")}`);
}

/** What `key_id` says of such an answer. */
const CALLERS_KEY = "caller";

function openAnswer({ keyId, bytes }: KeptAnswer, secrets: SecretBox | undefined, context: string) {
  if (secrets === undefined) return bytes;
  try {
    // Without a key id it was kept by a version that left the secret out.
    if (keyId !== null) return secrets.open({ keyId, bytes }, context);
  } catch {
    // Another token of the platform asks.
  }
  throw new ApiError(
    "conflict",
    "the request was answered before, to another token, and its answer holds a secret; look for what it made, or send it " +
      "with another idempotency key",
    { reason: "answer_unreadable" },
  );
}
