import type { RouteDefinition } from "../routes.ts";
import type { SchemaWords, SchemaWriter } from "./schema-writer.ts";

/** What a document is made from: one of the two APIs. Descriptions are Markdown. */
export interface ApiDescription extends SchemaWords {
  readonly title: string;
  readonly description: string;
  /** Such as `/publisher.v1/`. */
  readonly prefix: string;
  readonly routes: Readonly<Record<string, RouteDefinition<string>>>;
  /** What tokens there are. */
  readonly tokens: string;
  /** Which token a route needs, by its access. */
  readonly access: Readonly<Record<string, string>>;
  /** What `data.required` of a 403 says, and the accesses of the routes that can answer so. */
  readonly forbidden: { readonly required: string; readonly accesses: readonly string[] };
  /** Whether answers may carry a rate limit, and 429 may be one. */
  readonly hasRateLimit: boolean;
  /** What stands before the slash of a route, in the order of the reference page. */
  readonly resources: Readonly<Record<string, string>>;
  /** A request for each route, as it could be sent. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** What it calls, by name. */
  readonly webhooks?: (writer: SchemaWriter) => Readonly<Record<string, object>>;
}
