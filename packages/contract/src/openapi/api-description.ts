import type { RouteDefinition } from "../routes.ts";
import type { SchemaWords, SchemaWriter } from "./schema-writer.ts";

/** What a document is made from: one of the two APIs. Descriptions are Markdown. */
export interface ApiDescription extends SchemaWords {
  readonly title: string;
  readonly description: string;
  /** The path before a route, such as `/publisher.v1/`. */
  readonly prefix: string;
  /** Where an installation on this machine serves it, as it is without settings. */
  readonly origin: string;
  readonly routes: Readonly<Record<string, RouteDefinition<string>>>;
  /** Which tokens there are. */
  readonly tokens: string;
  /** Which token a route needs, by its `access`. */
  readonly access: Readonly<Record<string, string>>;
  /** `data.required` of a 403, and the accesses of the routes that can answer so. */
  readonly forbidden: { readonly required: string; readonly accesses: readonly string[] };
  /** Whether answers may carry a rate limit, and may be 429. */
  readonly hasRateLimit: boolean;
  /** Resources (the part of a route before the slash), in the order of the reference page. */
  readonly resources: Readonly<Record<string, string>>;
  /** A complete request for each route. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** Requests that the service makes to webhooks, by name. */
  readonly webhooks?: (writer: SchemaWriter) => Readonly<Record<string, object>>;
}
