import { type Config, createConfig, lintFromString } from "@redocly/openapi-core";
import t from "tap";
import { openApiDocument } from "./document.ts";
import { PLATFORM_API } from "./platform/platform-api.ts";
import { PUBLISHER_API } from "./publisher/publisher-api.ts";

/**
 * Rules of the linter in addition to its strict set, about texts that client generators show and names that
 * they derive.
 */
const FURTHER_RULES = {
  "component-name-unique": "error",
  "no-duplicated-tag-names": "error",
  "no-schema-type-mismatch": "error",
  "operation-description": "error",
  "operation-singular-tag": "error",
  "parameter-description": "error",
  "tag-description": "error",
} as const;

// Each takes a second on an idle machine.
t.setTimeout(400_000);

let config: Config;

t.before(async () => {
  config = await createConfig({ extends: ["recommended-strict"], rules: FURTHER_RULES });
});

/** The findings of the linter, one line each. */
async function lint(document: object): Promise<string[]> {
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ""})`,
  );
}

for (const api of [PUBLISHER_API, PLATFORM_API]) {
  t.test(`openapi, ${api.prefix} - a strict linter finds nothing`, async (t) => {
    t.strictSame(await lint(openApiDocument(api)), []);
  });
}

t.test("openapi - the linter finds planted faults", async (t) => {
  const broken = structuredClone(openApiDocument(PUBLISHER_API)) as unknown as {
    tags: { description?: string }[];
    paths: Record<string, { post: { operationId?: string } }>;
    components: { schemas: Record<string, object> };
  };
  delete broken.tags[0]?.description;
  delete broken.paths["/publisher.v1/member/get"]?.post.operationId;
  broken.components.schemas.Unused = { type: "string", enum: [1] };
  const found = (await lint(broken)).join("\n");
  for (const rule of [
    "tag-description",
    "operation-operationId",
    "no-unused-components",
    "no-enum-type-mismatch",
  ]) {
    t.match(found, new RegExp(`^${rule}: `, "m"));
  }
});
