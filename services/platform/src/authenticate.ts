import { hashTokenSecret } from "#domain";
import type { TokenFault } from "#http";
import { findTokenOwner } from "#platform-db";
import type { Store } from "#postgres";
import type { PlatformCaller } from "./caller.ts";

/**
 * The caller behind a token, asked of the database for each request: they are few and large, and what was taken away
 * counts at once: nothing is left of a token that was.
 */
export async function authenticate(store: Store, secret: string): Promise<PlatformCaller | TokenFault> {
  const owner = await findTokenOwner(store, hashTokenSecret(secret));
  if (owner === undefined) return "unknown";
  return owner.kind === "platform"
    ? { kind: "platform", tokenId: owner.id }
    : { kind: "retailer", retailerId: owner.id };
}
