import type { RouteDefinition } from "../route.ts";
import type { SchemaWriter } from "./schema-writer.ts";

/** The source of a document: one of the two APIs. Descriptions are Markdown. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  /** The path before a route, such as `/publisher.v1/`. */
  readonly prefix: string;
  /** The address of an installation on this machine with default settings. */
  readonly origin: string;
  readonly routes: Readonly<Record<string, RouteDefinition<string>>>;
  /** Describes the tokens. */
  readonly tokens: string;
  /** The token that a route needs, by its `access`. */
  readonly access: Readonly<Record<string, string>>;
  /** `data.required` of a 403, and the accesses of the routes that can give it. */
  readonly forbidden: { readonly required: string; readonly accesses: readonly string[] };
  /** Whether answers may have a rate limit, and may be 429. */
  readonly hasRateLimit: boolean;
  /** Resources (the part of a route before the slash), in the order of the reference page. */
  readonly resources: Readonly<Record<string, string>>;
  /** A complete request for each route. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** What a field means wherever it stands: a name has one meaning in the whole API. */
  readonly fieldDescriptions: Readonly<Record<string, string>>;
  /** Requests that the service makes to webhooks, by name. */
  readonly webhooks?: (writer: SchemaWriter) => Readonly<Record<string, object>>;
}
