import type { RouteDefinition } from "../routes.ts";
import type { ApiDescription } from "./api-description.ts";
import { errorAnswers } from "./error-answers.ts";
import { answerHeaders, parameter } from "./header-fields.ts";
import { pascalCase, resourceOf } from "./names.ts";
import type { SchemaWriter } from "./schema-writer.ts";

const ACCEPTED = 202;

type Definition = RouteDefinition<string>;

/** What the document says about one route. */
export function operationOf(api: ApiDescription, route: string, writer: SchemaWriter): object {
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
