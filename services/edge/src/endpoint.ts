import {
  type AccessLevel,
  type AnswerOf,
  ApiError,
  type RequestOf,
  ROUTES,
  type RouteDefinition,
  type RouteName,
} from "#contract";
import { VALIDATORS } from "#contract/validation";
import { decodeId, type IdPrefix } from "#domain";
import {
  answerList,
  type Call,
  type CursorKey,
  type Endpoint,
  found,
  type HttpResponse,
  jsonResponse,
} from "#http";
import type { Page, PageRequest, SharedStore, Sql } from "#postgres";

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

type RouteById = { [R in RouteName]: RequestOf<R> extends { id: string } ? R : never }[RouteName];

/**
 * Defines an endpoint that answers with the record of an id.
 * @param act reads or changes the record; gives undefined if the organisation has none with this id
 */
export function defineById<R extends RouteById, T>(
  route: R,
  { store, prefix, unknown }: { store: SharedStore; prefix: IdPrefix; unknown: () => ApiError },
  act: (sql: Sql, organisationId: string, id: string) => Promise<T | undefined>,
  write: (record: T) => AnswerOf<R>,
): PublisherEndpoint {
  return defineEndpoint(route, async ({ body, caller: { organisationId } }) => {
    const id = found(decodeId(prefix, body.id), unknown);
    const record = found(await act(store.lineOf(organisationId), organisationId, id), unknown);
    return jsonResponse(200, write(record));
  });
}

type WholeList = "api-token/list" | "deal/list" | "loyalty-program/list" | "webhook/list";

/** Defines an endpoint that lists all records of a kind that the caller's organisation sees. */
export function defineList<R extends WholeList, T extends { readonly id: string }>(
  route: R,
  { store, cursors }: { store: SharedStore; cursors: CursorKey },
  list: (sql: Sql, organisationId: string, page: PageRequest) => Promise<Page<T>>,
  write: (record: T) => AnswerOf<R>["data"][number],
): PublisherEndpoint {
  return defineEndpoint(route, ({ body: { pagination }, caller: { organisationId } }) =>
    answerList(
      { cursors, scope: route, owner: organisationId, pagination },
      (page) => list(store.lineOf(organisationId), organisationId, page),
      write,
    ),
  );
}
