import {
  ApiError,
  PLATFORM_ROUTES,
  PLATFORM_VALIDATORS,
  type PlatformRequestOf,
  type PlatformRouteDefinition,
  type PlatformRouteName,
} from "#contract";
import type { HttpResponse } from "#http";
import type { PlatformCall, PlatformEndpoint } from "./caller.ts";

/** An endpoint of the platform's route table: access and validator come from it, only the work is given here. */
export function definePlatformEndpoint<R extends PlatformRouteName>(
  route: R,
  run: (call: PlatformCall<PlatformRequestOf<R>>) => HttpResponse | Promise<HttpResponse>,
): PlatformEndpoint {
  const { access, entries }: PlatformRouteDefinition = PLATFORM_ROUTES[route];
  const isForPlatform = access === "platform";
  return {
    route,
    validate: PLATFORM_VALIDATORS[route],
    entries,
    refuseCaller({ kind }) {
      if (!isForPlatform || kind === "platform") return undefined;
      return new ApiError("authorization_error", "only the platform's token may do this", {
        required: "platform",
      });
    },
    // The validator has just proved the type.
    run: (call) => run(call as PlatformCall<PlatformRequestOf<R>>),
  };
}
