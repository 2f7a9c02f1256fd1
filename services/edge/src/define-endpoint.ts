import {
  ApiError,
  type RequestOf,
  ROUTES,
  type RouteDefinition,
  type RouteName,
  VALIDATORS,
} from "#contract";
import type { HttpResponse } from "#http";
import type { PublisherCall, PublisherEndpoint } from "./caller.ts";

/** An endpoint of the route table: access and validator come from the table, only the work is given here. */
export function defineEndpoint<R extends RouteName>(
  route: R,
  run: (call: PublisherCall<RequestOf<R>>) => HttpResponse | Promise<HttpResponse>,
  refuseAtDoor?: PublisherEndpoint["refuseAtDoor"],
): PublisherEndpoint {
  const { access, entries }: RouteDefinition = ROUTES[route];
  const needsWrite = access === "write";
  return {
    route,
    validate: VALIDATORS[route],
    entries,
    refuseCaller({ access }) {
      if (!needsWrite || access === "write") return undefined;
      return new ApiError("authorization_error", "the token may only read", { required: "write" });
    },
    // The validator has just proved the type.
    run: (call) => run(call as PublisherCall<RequestOf<R>>),
    ...(refuseAtDoor !== undefined && { refuseAtDoor }),
  };
}
