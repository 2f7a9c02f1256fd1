import { readFileSync } from "node:fs";
import { join } from "node:path";
import { API_REFERENCES, withRoutes } from "./api-reference.ts";
import { checkImports } from "./check-imports.ts";
import { checkMigrations } from "./check-migrations.ts";
import { currentSchemas } from "./current-schema.ts";
import { currentDashboards } from "./dashboards/dashboards.ts";
import { fileProblems } from "./file-rules.ts";
import { docProblems } from "./find-doc-paths.ts";
import { installedLicences } from "./installed-licences.ts";
import { kubernetesFiles } from "./kubernetes-files.ts";
import { licenceProblems } from "./licence-rules.ts";
import { lockfileProblems, manifestProblems } from "./lockfile-rules.ts";
import { logLevelProblems } from "./log-level-rules.ts";
import { NATS_ACCOUNTS_FILE, natsAccounts } from "./nats-accounts.ts";
import { runTool } from "./run-tool.ts";
import { readSourceTree } from "./source-tree.ts";
import { registryHost, textProblems } from "./text-rules.ts";
import { trackedTexts } from "./tracked-files.ts";
import { VALIDATORS_FILE, validatorsSource } from "./validators-source.ts";

/** A rule that the whole checkout must keep. */
export interface Gate {
  readonly name: string;
  /** What breaks it, one line each. */
  find(root: string): string[] | Promise<string[]>;
}

/** From what fails soonest to what takes longest. */
export const GATES: readonly Gate[] = [
  {
    name: "dependencies are pinned, and the lockfile installs everywhere",
    find: (root) => [
      ...manifestProblems(readJson(root, "package.json")),
      ...lockfileProblems(readJson(root, "package-lock.json")),
    ],
  },
  {
    name: "every package has a licence that is allowed",
    find: (root) => licenceProblems(installedLicences(root)),
  },
  { name: "what the documents refer to is there", find: docProblems },
  {
    name: "log levels have the names that the logs give them",
    find: (root) =>
      [...trackedTexts(root)]
        // The rule and its test hold what it looks for.
        .filter(([path]) => !path.startsWith("packages/tooling/src/log-level-rules."))
        .flatMap(([path, text]) => logLevelProblems(path, text)),
  },
  { name: "imports go one way, through one door each", find: checkImports },
  {
    name: "files are small and named for what they define",
    find: (root) => fileProblems(readSourceTree(root)),
  },
  { name: "migrations leave the previous version at work, or say that they do not", find: checkMigrations },
  {
    name: "no file names a developer's machine or a package registry",
    find: (root) => {
      const registry = registryHost(process.env);
      return [...trackedTexts(root)].flatMap(([path, text]) => textProblems(path, text, registry));
    },
  },
  {
    name: "validators are what the schemas say",
    find: (root) => compare(root, VALIDATORS_FILE, validatorsSource()),
  },
  {
    name: "the API references have the routes of the tables",
    find: (root) =>
      API_REFERENCES.flatMap(({ file, api }) =>
        compare(root, file, withRoutes(readFileSync(join(root, file), "utf8"), api)),
      ),
  },
  {
    name: "the dashboards are what their descriptions and the runbooks make",
    find: (root) => currentDashboards(root).flatMap(({ file, text }) => compare(root, file, text)),
  },
  {
    name: "NATS users may do what the flow table says",
    find: (root) => compare(root, NATS_ACCOUNTS_FILE, natsAccounts()),
  },
  {
    name: "the Kubernetes copies of NATS' settings and Prometheus' rules are current",
    find: (root) => kubernetesFiles(root).flatMap(({ file, text }) => compare(root, file, text)),
  },
  {
    name: "types",
    // Not incremental: the build's own record must not be told that something was checked which it did not write.
    find: (root) => runTool(root, "tsc", ["--noEmit", "--incremental", "false", "--tsBuildInfoFile", "null"]),
  },
  { name: "format and lint", find: (root) => runTool(root, "biome", ["ci", "--colors=off", "."]) },
  {
    name: "the schema dumps are what the migrations make",
    find: async (root) => (await currentSchemas()).flatMap(({ file, text }) => compare(root, file, text)),
  },
];

function compare(root: string, path: string, current: string): string[] {
  const committed = readFileSync(join(root, path), "utf8");
  return committed === current ? [] : [`${path}: is out of date; run \`npm run generate\` and commit it`];
}

function readJson<T>(root: string, path: string): T {
  return JSON.parse(readFileSync(join(root, path), "utf8")) as T;
}
