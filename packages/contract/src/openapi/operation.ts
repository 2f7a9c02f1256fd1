import { ROUTES, type RouteDefinition, type RouteName } from "../routes.ts";
import { errorAnswers } from "./error-answers.ts";
import { EXAMPLES } from "./examples.ts";
import { answerHeaders, parameter } from "./header-fields.ts";
import { pascalCase } from "./pascal-case.ts";
import { resourceOf } from "./resources.ts";
import type { SchemaWriter } from "./schema-writer.ts";

const ACCEPTED = 202;

/** What the document says of one route. */
export function operationOf(route: RouteName, writer: SchemaWriter): object {
  const definition: RouteDefinition = ROUTES[route];
  const parameters = parametersOf(definition);
  return {
    operationId: operationId(route),
    tags: [resourceOf(route)],
    summary: definition.summary,
    description: `Needs a token with ${definition.access} access.`,
    ...(parameters.length > 0 && { parameters }),
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: writer.write(definition.request, route), example: EXAMPLES[route] },
      },
    },
    responses: { ...successAnswers(route, definition, writer), ...errorAnswers(definition, writer) },
  };
}

function parametersOf({ answers, repeatable }: RouteDefinition): object[] {
  return [
    ...(repeatable === undefined ? [] : [parameter("idempotency-key")]),
    ...(ACCEPTED in answers ? [parameter("prefer")] : []),
  ];
}

function successAnswers(route: RouteName, { answers }: RouteDefinition, writer: SchemaWriter) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => {
      const isLater = Number(status) === ACCEPTED;
      const answer = {
        description: isLater ? "Accepted for later" : "Done",
        headers: answerHeaders(...(isLater ? (["preference-applied"] as const) : [])),
        content: { "application/json": { schema: writer.write(schema, route) } },
      };
      return [status, answer];
    }),
  );
}

/** `wallet.clip/save` → `walletClipSave`. */
function operationId(route: RouteName): string {
  const name = pascalCase(route);
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
