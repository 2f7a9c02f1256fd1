import type { ApiDescription } from "./api-description.ts";
import { sharedErrorAnswers } from "./error-answers.ts";
import { HEADER_COMPONENTS, PARAMETER_COMPONENTS } from "./header-fields.ts";
import { operationOf } from "./operation.ts";
import { type JsonSchema, SchemaWriter } from "./schema-writer.ts";

/** The parts of an OpenAPI 3.1 document that this code reads. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly paths: Readonly<Record<string, { readonly post: object }>>;
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** Describes a whole API in OpenAPI 3.1; equal descriptions give equal documents. Made once per process. */
export function openApiDocument(api: ApiDescription): OpenApiDocument {
  const writer = new SchemaWriter(api);
  const paths = Object.fromEntries(
    Object.keys(api.routes).map((route) => [api.prefix + route, { post: operationOf(api, route, writer) }]),
  );
  const webhooks = api.webhooks?.(writer) ?? {};
  const responses = sharedErrorAnswers(api, writer);
  const text = JSON.stringify([paths, webhooks, responses]);
  return {
    openapi: "3.1.0",
    info: {
      title: api.title,
      version: "1",
      description: api.description,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [serverOf(api)],
    security: [{ bearer: [] }],
    tags: Object.entries(api.resources).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: api.tokens } },
      headers: referredTo("headers", HEADER_COMPONENTS, text),
      parameters: referredTo("parameters", PARAMETER_COMPONENTS, text),
      responses,
      schemas: writer.components(),
    },
  } as OpenApiDocument;
}

/**
 * The address as a variable: tools take a relative one for a host, or have none to ask, and nobody but who reads the document
 * knows the address of an installation.
 */
function serverOf({ origin }: ApiDescription): object {
  const description = "Where the installation is reached, with the path that a proxy puts before it, if any.";
  return {
    url: "{origin}",
    description: "An installation",
    variables: { origin: { default: origin, description } },
  };
}

/** The components that `text` refers to: not every API has every header. */
function referredTo(kind: string, components: Readonly<Record<string, object>>, text: string) {
  const isReferredTo = (name: string) => text.includes(`"#/components/${kind}/${name}"`);
  return Object.fromEntries(Object.entries(components).filter(([name]) => isReferredTo(name)));
}
