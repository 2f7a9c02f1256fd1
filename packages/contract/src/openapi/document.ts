import { PUBLISHER_PREFIX, ROUTES, type RouteName } from "../routes.ts";
import { sharedErrorAnswers } from "./error-answers.ts";
import { HEADER_COMPONENTS, PARAMETER_COMPONENTS } from "./header-fields.ts";
import { operationOf } from "./operation.ts";
import { RESOURCES } from "./resources.ts";
import { type JsonSchema, SchemaWriter } from "./schema-writer.ts";
import { webhooksSection } from "./webhooks.ts";

/** The parts of an OpenAPI 3.1 document that are looked into from here. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly post: object }>>;
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const DESCRIPTION = `Takes in card transactions, follows each from authorization to clearing or reversal, and tells of
stamps and cashbacks through webhooks.

Every operation is a POST with a JSON object, \`{}\` where there is nothing to say. Unknown request fields are refused;
ignore answer fields that you do not know. A record of another organisation does not exist: 404.

Every answer carries \`x-trace-id\`; send a \`traceparent\` to choose it.`;

/** Describes the whole publisher API, as OpenAPI 3.1. Equal for an equal route table; made once per process. */
export function openApiDocument(): OpenApiDocument {
  const writer = new SchemaWriter();
  const routes = Object.keys(ROUTES) as RouteName[];
  const paths = Object.fromEntries(
    routes.map((route) => [PUBLISHER_PREFIX + route, { post: operationOf(route, writer) }]),
  );
  const webhooks = webhooksSection(writer);
  const responses = sharedErrorAnswers(writer);
  return {
    openapi: "3.1.0",
    info: {
      title: "Stampede publisher API",
      version: "1",
      description: DESCRIPTION,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    // Relative to where the document is: right behind a proxy as well, whatever path that puts in front.
    servers: [{ url: "." }],
    security: [{ bearer: [] }],
    tags: Object.entries(RESOURCES).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API token: `stp_live_…`." },
      },
      headers: HEADER_COMPONENTS,
      parameters: PARAMETER_COMPONENTS,
      responses,
      schemas: writer.components(),
    },
  } as OpenApiDocument;
}
