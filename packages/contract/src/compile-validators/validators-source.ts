import { _, Ajv, type CodeKeywordDefinition, stringify } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import oneOf from "ajv/dist/vocabularies/applicator/oneOf.js";
import discriminator from "ajv/dist/vocabularies/discriminator/index.js";
import { FORMATS } from "../formats.ts";
import { MESSAGES } from "../messages.ts";
import { PLATFORM_ROUTES } from "../platform-routes.ts";
import { ROUTES } from "../routes.ts";
import { shareRepeated } from "./share-repeated.ts";

type Schemas = ReadonlyArray<readonly [name: string, schema: unknown]>;

/**
 * The validated schemas: the request bodies of the two route tables, and the stream messages of other
 * systems.
 */
const REQUESTS: Schemas = Object.entries(ROUTES).map(([route, { request }]) => [route, request]);
const PLATFORM_REQUESTS: Schemas = Object.entries(PLATFORM_ROUTES).map(([route, { request }]) => [
  route,
  request,
]);
const STREAM_MESSAGES: Schemas = Object.entries(MESSAGES);

/** The source of the validators of all present schemas. */
export function validatorsSource(): string {
  const ajv = new Ajv({
    // The first violation is the answer; collecting all of them lets a hostile body cost without bound.
    allErrors: false,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    discriminator: true,
    // Each of them is long, and used in several schemas.
    inlineRefs: false,
    messages: false,
    code: { source: true, esm: true, lines: true, formats: _`FORMAT_TESTS` },
  });
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format.test);
  ajv.removeKeyword("oneOf").addKeyword(COMMENTED_ONE_OF);
  ajv.removeKeyword("discriminator").addKeyword(LISTED_DISCRIMINATOR);
  const { schemas, shared } = shareRepeated([
    ...REQUESTS.map(([route, schema]) => [functionName(route), schema] as const),
    ...PLATFORM_REQUESTS.map(([route, schema]) => [platformFunctionName(route), schema] as const),
    ...STREAM_MESSAGES.map(([message, schema]) => [messageFunctionName(message), schema] as const),
  ]);
  for (const [id, schema] of [...shared, ...schemas]) ajv.addSchema(schema, id);
  const exported = Object.fromEntries(schemas.map(([id]) => [id, id]));
  return HEADER + useImports(standaloneCode.default(ajv, exported)) + table();
}

const HEADER = `// Made by \`npm run build\` from the schemas of the route tables and the stream messages.
import { codePointLength } from "../code-point-length.js";
import { FORMATS } from "../formats.js";

const FORMAT_TESTS = Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [name, format.test]));
`;

/** Ajv writes \`require\` even into ES modules; its one use here is the length of a string in code points. */
function useImports(code: string): string {
  const replaced = code
    .replace('"use strict";', "")
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', "codePointLength");
  if (replaced.includes("require(")) throw new Error("a validator needs a module that is not replaced yet");
  return replaced;
}

/** The declarations of `validators.d.ts`. */
function table(): string {
  return `
${[...schemasOf(REQUESTS, functionName), ...schemasOf(PLATFORM_REQUESTS, platformFunctionName)].join("\n")}

export const VALIDATORS = {
${entriesOf(REQUESTS, functionName)}
};

export const PLATFORM_VALIDATORS = {
${entriesOf(PLATFORM_REQUESTS, platformFunctionName)}
};

export const MESSAGE_VALIDATORS = {
${entriesOf(STREAM_MESSAGES, messageFunctionName)}
};
`;
}

/** A validator stops at the first violation: the others are found along its schema. */
function schemasOf(schemas: Schemas, nameOf: (name: string) => string): string[] {
  return schemas.map(([name, schema]) => `${nameOf(name)}.schema = ${JSON.stringify(schema)};`);
}

function entriesOf(schemas: Schemas, nameOf: (name: string) => string): string {
  return schemas.map(([name]) => `  ${JSON.stringify(name)}: ${nameOf(name)},`).join("\n");
}

/** `oneOf` whose violation carries its `$comment`: the wording for a body that matches none of the forms. */
const COMMENTED_ONE_OF: CodeKeywordDefinition = {
  ...oneOf.default,
  error: {
    message: "must match exactly one schema in oneOf",
    params: ({ params, parentSchema }) => {
      const comment: unknown = parentSchema?.$comment;
      if (typeof comment !== "string")
        throw new Error("a schema with oneOf needs a $comment that words its violation");
      return _`{passingSchemas: ${params.passing}, comment: ${comment}}`;
    },
  },
};

/** `discriminator` whose violation lists the existing values, for a caller that gave another one. */
const LISTED_DISCRIMINATOR: CodeKeywordDefinition = {
  ...discriminator.default,
  error: {
    message: "must be the tag of a schema in oneOf",
    params: ({ params, parentSchema }) => {
      const forms = parentSchema?.oneOf as ReadonlyArray<{ properties: Record<string, { const: string }> }>;
      const tag = String(params.tagName);
      const values = forms.map(({ properties }) => properties[tag]?.const);
      return _`{tag: ${tag}, allowedValues: ${stringify(values)}}`;
    },
  },
};

function functionName(route: string): string {
  return `validate_${route.replaceAll(/[^a-z]/g, "_")}`;
}

function platformFunctionName(route: string): string {
  return functionName(`platform ${route}`);
}

function messageFunctionName(message: string): string {
  return functionName(`message ${message}`);
}
