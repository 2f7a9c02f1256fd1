import type { RouteDefinition } from "../route.ts";
import type { ApiDescription } from "./api-description.ts";
import { errorAnswers, sharedErrorAnswers } from "./error-answers.ts";
import { answerHeaders, HEADER_COMPONENTS, PARAMETER_COMPONENTS, parameter } from "./header-fields.ts";
import { pascalCase, resourceOf } from "./names.ts";
import { type JsonSchema, SchemaWriter } from "./schema-writer.ts";

const ACCEPTED = 202;

/** The parts of an OpenAPI 3.1 document that this code reads. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly paths: Readonly<Record<string, { readonly post: object }>>;
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** Describes a whole API in OpenAPI 3.1; equal descriptions give equal documents. Built once per process. */
export function openApiDocument(api: ApiDescription): OpenApiDocument {
  const writer = new SchemaWriter(api.fieldDescriptions);
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
 * The address as a variable: some tools take a relative one for a host, others do not ask, and only the
 * reader of the document knows the address of an installation.
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

type Definition = RouteDefinition<string>;

/** The document's entry for one route. */
function operationOf(api: ApiDescription, route: string, writer: SchemaWriter): object {
  const definition = api.routes[route] as Definition;
  const parameters = parametersOf(definition);
  return {
    operationId: operationId(route),
    tags: [resourceOf(route)],
    summary: definition.summary,
    description: api.access[definition.access],
    ...(parameters.length > 0 && { parameters }),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: writer.write(definition.request, route),
          example: api.examples[route],
        },
      },
    },
    responses: {
      ...successAnswers(api, route, definition, writer),
      ...errorAnswers(api, definition, writer),
    },
  };
}

function parametersOf({ answers, repeatable }: Definition): object[] {
  return [
    ...(repeatable === undefined ? [] : [parameter("idempotency-key")]),
    ...(ACCEPTED in answers ? [parameter("prefer")] : []),
  ];
}

function successAnswers(api: ApiDescription, route: string, { answers }: Definition, writer: SchemaWriter) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => {
      const isLater = Number(status) === ACCEPTED;
      const answer = {
        description: isLater ? "Accepted for later" : "Done",
        headers: answerHeaders(api, ...(ACCEPTED in answers ? (["preference-applied"] as const) : [])),
        content: { "application/json": { schema: writer.write(schema, route) } },
      };
      return [status, answer];
    }),
  );
}

/** `wallet.clip/save` → `walletClipSave`. */
function operationId(route: string): string {
  const name = pascalCase(route);
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
