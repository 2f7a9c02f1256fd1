import { type RequestOf, ROUTES, type RouteName, VALIDATORS } from "#contract";
import type { Call, Endpoint, HttpResponse } from "#http";

/** An endpoint of the route table: access and validator come from the table, only the work is given here. */
export function defineEndpoint<R extends RouteName>(
  route: R,
  run: (call: Call<RequestOf<R>>) => HttpResponse | Promise<HttpResponse>,
  refuseAtDoor?: Endpoint["refuseAtDoor"],
): Endpoint {
  return {
    route,
    access: ROUTES[route].access,
    validate: VALIDATORS[route],
    // The validator has just proved the type.
    run: (call) => run(call as Call<RequestOf<R>>),
    ...(refuseAtDoor !== undefined && { refuseAtDoor }),
  };
}
