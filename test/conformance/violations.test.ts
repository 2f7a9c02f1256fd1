import t from "tap";
import type { Issue } from "#contract";
import { type ApiDescription, openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { PLATFORM_API } from "#contract/platform";
import { findIssues, PLATFORM_VALIDATORS, VALIDATORS, type Validate } from "#contract/validation";
import { KnownValues } from "./known-values.ts";
import { makeCase } from "./make-case.ts";
import { readOperations } from "./operations.ts";

/**
 * A walk along the schema finds the faults after the first, and must agree with the compiled validators:
 * random bodies of every route with one fault, and two of them side by side.
 */
const SEED = Number(process.env.CONFORMANCE_SEED ?? Date.now() % 1_000_000);
const CASES_OF_ROUTE = 150;

const APIS: ReadonlyArray<readonly [ApiDescription, Readonly<Record<string, Validate>>]> = [
  [PUBLISHER_API, VALIDATORS],
  [PLATFORM_API, PLATFORM_VALIDATORS],
];

/** Two faults stand side by side only outside of branches, and in a body that is an object. */
function faultsOf(text: string, validate: Validate): { body: object; issues: readonly Issue[] } | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body) || validate(body)) return undefined;
  return { body, issues: findIssues(validate, body, 0).issues };
}

for (const [api, validators] of APIS) {
  t.test(
    `violations - ${api.prefix} names what its validators refuse (CONFORMANCE_SEED=${SEED})`,
    async (t) => {
      const operations = readOperations(JSON.parse(JSON.stringify(openApiDocument(api))));
      const known = new KnownValues({}, []);
      const told = new Map<string, number>();
      for (let number = 0; number < CASES_OF_ROUTE * operations.all.length; number++) {
        const { operation, bytes, expected, what } = makeCase(operations, known, SEED, number);
        const validate = validators[operation.route] as Validate;
        const text = Buffer.from(bytes).toString();
        const found = faultsOf(text, validate);
        if (found === undefined || expected.kind !== "refused") continue;
        const about = `${number} ${operation.route}: ${what}`;
        told.set(operation.route, (told.get(operation.route) ?? 0) + 1);
        const { issues } = found;
        const isOne = issues.every(({ path }) => path.startsWith(expected.path));
        if (!isOne) t.fail(`${about}, and it says ${JSON.stringify(issues)} of ${text.slice(0, 500)}`);
        if (
          expected.exact &&
          issues.length > 1 &&
          new Set(issues.map(({ path }) => path)).size < issues.length
        ) {
          t.fail(`${about}: twice ${JSON.stringify(issues)}`);
        }
      }
      t.strictSame(
        operations.all.map(({ route }) => route).filter((route) => !told.has(route)),
        [],
        "something was wrong with a body of every route",
      );
    },
  );
}
