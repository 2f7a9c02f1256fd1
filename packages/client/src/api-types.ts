import type { PLATFORM_ROUTES, PlatformAnswers, PlatformRequests } from "./generated/platform-api.ts";
import type { PUBLISHER_ROUTES, PublisherAnswers, PublisherRequests } from "./generated/publisher-api.ts";

/** A route of `publisher.v1`: `<resource>/<action>`. */
export type RouteName = keyof PublisherRequests;
/** The body of a route's request. */
export type RequestOf<R extends RouteName> = PublisherRequests[R];
/** The body of any success answer of a route. */
export type Answer<R extends RouteName> = PublisherAnswers[R];

/** A route of `platform.v1`. */
export type PlatformRouteName = keyof PlatformRequests;
export type PlatformRequestOf<R extends PlatformRouteName> = PlatformRequests[R];
export type PlatformAnswer<R extends PlatformRouteName> = PlatformAnswers[R];

/** The routes of a table whose answers are pages. */
type Listing<Table> = {
  [R in keyof Table]: Table[R] extends { readonly cursor: string } ? R : never;
}[keyof Table];

/** The routes whose answers are pages of records. */
export type ListRouteName = Listing<typeof PUBLISHER_ROUTES>;
export type PlatformListRouteName = Listing<typeof PLATFORM_ROUTES>;

/** One record of a list. */
export type RecordOf<R extends ListRouteName> = Answer<R>["data"][number];
export type PlatformRecordOf<R extends PlatformListRouteName> = PlatformAnswer<R>["data"][number];

/** The arguments after a list's name: its request may be left out where nothing in it is required. */
export type ListArguments<Request, Options> =
  Partial<Request> extends Request
    ? [request?: Request, options?: Options]
    : [request: Request, options?: Options];
