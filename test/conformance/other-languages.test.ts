import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { type ApiDescription, openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { PLATFORM_API } from "#contract/platform";

/*
 * The OpenAPI documents are the source of clients in other languages. Here real generators for two of them
 * make clients. They are no dependency of the project: CI installs them, and so does `npm ci --prefix
 * .ci/generators`.
 */

const GENERATORS = fileURLToPath(new URL("../../../.ci/generators/", import.meta.url));
const needsGenerators = existsSync(join(GENERATORS, "node_modules"))
  ? false
  : "the generators are not installed (npm ci --prefix .ci/generators)";
const hasPython = spawnSync("python3", ["--version"]).status === 0;

t.setTimeout(400_000);

type OpenApiDocument = ReturnType<typeof openApiDocument>;

const APIS: readonly ApiDescription[] = [PUBLISHER_API, PLATFORM_API];

function operationIds({ paths }: OpenApiDocument): string[] {
  return Object.values(paths).map(({ post }) => (post as { operationId: string }).operationId);
}

/** Schemas for which every generator makes a class; other schemas may become a list or a map. */
function objectSchemas({ components }: OpenApiDocument): string[] {
  return Object.entries(components.schemas)
    .filter(([, { properties }]) => properties !== undefined)
    .map(([name]) => name);
}

for (const api of APIS) {
  t.test(
    `java, ${api.prefix} - a generator makes a client with every operation and record`,
    {
      skip: needsGenerators,
    },
    async (t) => {
      const folder = t.testdir();
      const document = openApiDocument(api);
      writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
      writeFileSync(
        join(folder, "config.yml"),
        [
          "inputPath: openapi.json",
          "outputPath: out",
          'generator: "@openapi-generator-plus/java-jaxrs-client-generator"',
          "package: com.example.stampede",
        ].join("\n"),
      );
      // The generator looks for its templates from the folder in which it runs.
      const cli = join(GENERATORS, "node_modules", "openapi-generator-plus", "bin", "ogplus.js");
      const run = spawnSync(process.execPath, [cli, "-c", join(folder, "config.yml")], {
        cwd: GENERATORS,
        encoding: "utf8",
      });
      t.equal(run.status, 0, run.stdout + run.stderr);
      const made = join(folder, "out", "com", "example", "stampede");
      const interfaces = readdirSync(join(made, "spec"))
        .map((file) => readFileSync(join(made, "spec", file), "utf8"))
        .join("\n");
      for (const operation of operationIds(document)) t.match(interfaces, ` ${operation}(`, operation);
      for (const name of objectSchemas(document)) {
        t.ok(existsSync(join(made, "model", `${name}.java`)), name);
      }
    },
  );

  t.test(
    `python, ${api.prefix} - a generator makes a class of every record`,
    {
      skip: needsGenerators,
    },
    async (t) => {
      const document = openApiDocument(api);
      const source = await pythonOf(document);
      const classes = new Set([...source.matchAll(/^class (\w+)/gm)].map((match) => match[1]?.toLowerCase()));
      for (const name of objectSchemas(document)) t.ok(classes.has(name.toLowerCase()), name);
      const file = join(t.testdir({ "models.py": source }), "models.py");
      t.test("which Python compiles", { skip: hasPython ? false : "no python3 here" }, async (t) => {
        const compiled = spawnSync("python3", ["-m", "py_compile", file], { encoding: "utf8" });
        t.equal(compiled.status, 0, compiled.stderr);
      });
    },
  );
}

/** The part of quicktype that this test uses. */
interface Quicktype {
  readonly JSONSchemaInput: new (store: undefined) => { addSource(source: object): Promise<void> };
  readonly InputData: new () => { addInput(input: object): void };
  quicktype(options: object): Promise<{ readonly lines: readonly string[] }>;
}

/** Classes for the document's schemas, which are JSON Schema: that is what this generator reads. */
async function pythonOf({ components }: OpenApiDocument): Promise<string> {
  const { JSONSchemaInput, InputData, quicktype } = createRequire(GENERATORS)("quicktype-core") as Quicktype;
  const schemas = JSON.stringify(components.schemas).replaceAll("#/components/schemas/", "#/definitions/");
  const input = new JSONSchemaInput(undefined);
  await input.addSource({ name: "Stampede", uris: ["#/definitions/"], schema: `{"definitions":${schemas}}` });
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } = await quicktype({ inputData, lang: "python" });
  return lines.join("\n");
}
