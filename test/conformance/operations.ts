import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { FORMATS } from "#contract";
import type { JsonSchema, Resolve } from "./json-schema.ts";

/** One operation as the OpenAPI document describes it. */
export interface Operation {
  /** Such as `member/get`. */
  readonly route: string;
  readonly path: string;
  readonly request: JsonSchema;
  readonly isRequest: (body: unknown) => boolean;
  /** The fault of an answer; undefined if it is documented and its body has the documented shape. */
  explain(status: number, body: unknown): string | undefined;
}

export interface Operations {
  readonly all: readonly Operation[];
  readonly resolve: Resolve;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, { readonly post?: OpenApiOperation }>>;
}

interface OpenApiOperation {
  readonly requestBody: unknown;
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: unknown }>>;
}

const ID = "openapi";
const JSON_CONTENT = ["content", "application/json", "schema"];

/** Reads the document and compiles each request and answer schema of it, with our formats. */
export function readOperations(document: OpenApiDocument): Operations {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: false });
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format.test);
  ajv.addFormat("date-time", FORMATS.timestamp.test);
  ajv.addSchema(document as object, ID);
  const compile = (pointer: string): ValidateFunction => ajv.compile({ $ref: `${ID}#${pointer}` });
  const resolve: Resolve = (schema) => {
    let found = schema;
    while (found.$ref !== undefined) found = lookUp(document, found.$ref.slice(1)) as JsonSchema;
    return found;
  };
  const all = Object.entries(document.paths).flatMap(([path, { post }]) =>
    post === undefined ? [] : [readOperation(document, path, post, compile)],
  );
  return { all, resolve };
}

function readOperation(
  document: OpenApiDocument,
  path: string,
  operation: OpenApiOperation,
  compile: (pointer: string) => ValidateFunction,
): Operation {
  const at = pointerOf(["paths", path, "post"]);
  const bodyAt = at + pointerOf(["requestBody", ...JSON_CONTENT]);
  const isRequest = compile(bodyAt);
  const answers = new Map(
    Object.entries(operation.responses).map(([status, { $ref }]) => {
      const responseAt = $ref === undefined ? at + pointerOf(["responses", status]) : $ref.slice(1);
      return [status, compile(responseAt + pointerOf(JSON_CONTENT))];
    }),
  );
  return {
    route: path.split("/").slice(-2).join("/"),
    path,
    request: lookUp(document, bodyAt) as JsonSchema,
    isRequest: (body) => isRequest(body) as boolean,
    explain(status, body) {
      const validate = answers.get(String(status));
      if (validate === undefined) return `status ${status} is not documented`;
      if (validate(body)) return undefined;
      const [error] = validate.errors ?? [];
      return `the body of ${status} is not as documented: ${error?.instancePath} ${error?.message}`;
    },
  };
}

function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function lookUp(document: unknown, pointer: string): unknown {
  const steps = decodeURIComponent(pointer).split("/").slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return (at as Record<string, unknown> | undefined)?.[name];
  }, document);
}
