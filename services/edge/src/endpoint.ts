import {
  type AccessLevel,
  ApiError,
  type RequestOf,
  ROUTES,
  type RouteDefinition,
  type RouteName,
} from "#contract";
import { VALIDATORS } from "#contract/validation";
import type { Call, Endpoint, HttpResponse } from "#http";

/** The caller of the publisher API, whom an API token identifies. */
export interface Caller {
  readonly organisationId: string;
  readonly tokenId: string;
  readonly access: AccessLevel;
}

export type PublisherCall<Body = unknown> = Call<Caller, Body>;
export type PublisherEndpoint = Endpoint<Caller>;

/** Defines an endpoint of the route table. The table has access and validator; this adds the work. */
export function defineEndpoint<R extends RouteName>(
  route: R,
  run: (call: PublisherCall<RequestOf<R>>) => HttpResponse | Promise<HttpResponse>,
  more: Pick<PublisherEndpoint, "refuseAtDoor" | "refuseUnparsed" | "isHeavy"> = {},
): PublisherEndpoint {
  const { access }: RouteDefinition = ROUTES[route];
  const needsWrite = access === "write";
  return {
    route,
    validate: VALIDATORS[route],
    isRead: !needsWrite,
    refuseCaller({ access }) {
      if (!needsWrite || access === "write") return undefined;
      return new ApiError("authorization_error", "the token may only read", { required: "write" });
    },
    // The validator has just proved the type.
    run: (call) => run(call as PublisherCall<RequestOf<R>>),
    ...more,
  };
}
