import { ApiError } from "#contract";
import {
  PLATFORM_ROUTES,
  type PlatformRequestOf,
  type PlatformRouteDefinition,
  type PlatformRouteName,
} from "#contract/platform";
import { PLATFORM_VALIDATORS } from "#contract/validation";
import { hashTokenSecret } from "#domain";
import type { Call, Endpoint, HttpResponse, TokenFault } from "#http";
import { findTokenOwner } from "#platform-db";
import type { Store } from "#postgres";

/** The owner of a token of the platform. Ids are UUIDs. */
export type PlatformCaller =
  | { readonly kind: "platform"; readonly tokenId: string }
  | { readonly kind: "retailer"; readonly retailerId: string };

export type PlatformCall<Body = unknown> = Call<PlatformCaller, Body>;
export type PlatformEndpoint = Endpoint<PlatformCaller>;

/**
 * The caller with this token. Every request asks the database: requests are few and large, and a revoked
 * token must be refused immediately. A removed token is `unknown`, because its row is gone.
 */
export async function authenticate(store: Store, secret: string): Promise<PlatformCaller | TokenFault> {
  const owner = await findTokenOwner(store, hashTokenSecret(secret));
  if (owner === undefined) return "unknown";
  return owner.kind === "platform"
    ? { kind: "platform", tokenId: owner.id }
    : { kind: "retailer", retailerId: owner.id };
}

/** Routes that change nothing, recognised by the last word of their names. */
const READS = /\/(?:get|list|dry-run|explain)$/;

/** Defines an endpoint of the platform's route table, which has its access and validator. */
export function definePlatformEndpoint<R extends PlatformRouteName>(
  route: R,
  run: (call: PlatformCall<PlatformRequestOf<R>>) => HttpResponse | Promise<HttpResponse>,
  more: Pick<PlatformEndpoint, "isHeavy"> = {},
): PlatformEndpoint {
  const { access }: PlatformRouteDefinition = PLATFORM_ROUTES[route];
  const isForPlatform = access === "platform";
  return {
    route,
    validate: PLATFORM_VALIDATORS[route],
    isRead: READS.test(route),
    refuseCaller({ kind }) {
      if (!isForPlatform || kind === "platform") return undefined;
      return new ApiError("authorization_error", "only the platform's token may do this", {
        required: "platform",
      });
    },
    // The validator has just proved the type.
    run: (call) => run(call as PlatformCall<PlatformRequestOf<R>>),
    ...more,
  };
}

/** The owner that cursors are bound to. There is only one: all callers who may list see the same records. */
export const LIST_OWNER = "platform";
