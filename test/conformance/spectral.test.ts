import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { PLATFORM_API } from "#contract/platform";

/*
 * Spectral's rules for OpenAPI over both documents, all of them and not only the recommended ones. It is no dependency of the
 * project: CI installs it, and so does `npm ci --prefix .ci/generators`. Redocly's rules are in
 * packages/contract/src/openapi/document-lint.test.ts.
 */

const GENERATORS = fileURLToPath(new URL("../../../.ci/generators/", import.meta.url));
const skip = existsSync(join(GENERATORS, "node_modules"))
  ? false
  : "Spectral is not installed (npm ci --prefix .ci/generators)";

/** Rules of style that the documents do not follow. */
const OTHER_TASTE = {
  // An installation's contact is its operator, whom the document does not know.
  "info-contact": "off",
  // OpenAPI 3.1 has `identifier` in its place, and allows one of the two.
  "license-url": "off",
  // Tags stand in the order of the reference page.
  "openapi-tags-alphabetical": "off",
};

interface Finding {
  readonly code: string | number;
  readonly message: string;
  readonly path: ReadonlyArray<string | number>;
}

interface Spectral {
  setRuleset(ruleset: object): void;
  run(document: string): Promise<readonly Finding[]>;
}

t.setTimeout(400_000);

/** All findings of Spectral, of any severity, one a line. */
async function lint(document: object): Promise<string[]> {
  const require = createRequire(join(GENERATORS, "package.json"));
  const { Spectral } = require("@stoplight/spectral-core") as { Spectral: new () => Spectral };
  const { oas } = require("@stoplight/spectral-rulesets") as { oas: object };
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, "all"]], rules: OTHER_TASTE });
  const found = await spectral.run(JSON.stringify(document));
  return found.map(({ code, message, path }) => `${code}: ${message} (${path.join("/")})`);
}

for (const api of [PUBLISHER_API, PLATFORM_API]) {
  t.test(`openapi, ${api.prefix} - Spectral finds nothing`, { skip }, async (t) => {
    t.strictSame(await lint(openApiDocument(api)), []);
  });
}

t.test("openapi - Spectral finds planted faults", { skip }, async (t) => {
  const broken = structuredClone(openApiDocument(PUBLISHER_API)) as unknown as {
    servers: unknown[];
    components: { schemas: Record<string, object> };
    paths: Record<string, { post: { operationId?: string } }>;
  };
  broken.servers = [];
  broken.components.schemas.Member = { type: "object", properties: { names: { type: "array" } } };
  delete broken.paths["/publisher.v1/member/get"]?.post.operationId;
  const found = (await lint(broken)).join("\n");
  for (const rule of ["oas3-api-servers", "array-items", "operation-operationId"]) {
    t.match(found, new RegExp(`^${rule}: `, "m"));
  }
});
