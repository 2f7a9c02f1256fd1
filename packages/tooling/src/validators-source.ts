import { _, Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { FORMATS, ROUTES } from "#contract";

/** The committed validators, from the root of the checkout. */
export const VALIDATORS_FILE = "packages/contract/src/generated/validators.ts";

/** The source of the validators of every route's request body, as the schemas of the route table have it now. */
export function validatorsSource(): string {
  const ajv = new Ajv({
    // The first violation is the answer; collecting all of them lets a hostile body cost without bound.
    allErrors: false,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    messages: false,
    code: { source: true, esm: true, lines: true, formats: _`FORMAT_TESTS` },
  });
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format.test);
  const exported: Record<string, string> = {};
  for (const [route, definition] of Object.entries(ROUTES)) {
    const id = functionName(route);
    // A copy without TypeBox's hidden markers: plain JSON Schema.
    ajv.addSchema(JSON.parse(JSON.stringify(definition.request)), id);
    exported[id] = id;
  }
  return HEADER + useImports(standaloneCode.default(ajv, exported)) + table();
}

const HEADER = `// Generated from the schemas of the route table by \`npm run generate\`. Do not edit.
// biome-ignore-all lint: generated
// @ts-nocheck
import type { RouteName } from "../routes.ts";
import type { SchemaViolation } from "../schema-issue.ts";
import { codePointLength } from "../code-point-length.ts";
import { FORMATS } from "../formats.ts";

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

function table(): string {
  const entries = Object.keys(ROUTES).map((route) => `  ${JSON.stringify(route)}: ${functionName(route)},`);
  return `
export interface Validator {
  (body: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
}

/** The compiled validator of every route's request body. */
export const VALIDATORS: Readonly<Record<RouteName, Validator>> = {
${entries.join("\n")}
};
`;
}

function functionName(route: string): string {
  return `validate_${route.replaceAll(/[^a-z]/g, "_")}`;
}
