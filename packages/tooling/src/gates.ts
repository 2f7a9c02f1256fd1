import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { docCommands } from "./doc-commands.ts";
import { docProblems } from "./doc-paths.ts";
import { slowExpressionProblems } from "./expression-rules.ts";
import { GENERATED } from "./generated.ts";
import { checkImports } from "./import-rules.ts";
import { installedLicences, licenceProblems } from "./licence-rules.ts";
import { lockfileProblems, manifestProblems } from "./lockfile-rules.ts";
import { checkMigrations } from "./migration-rules.ts";
import { nameProblems, registryHost, resetProblems, textProblems } from "./text-rules.ts";
import { readSourceTree, trackedTexts } from "./tracked-files.ts";

/** A rule that the whole checkout must keep. */
export interface Gate {
  readonly name: string;
  /** The violations, one line each. */
  find(root: string): string[] | Promise<string[]>;
}

/** From the fastest to the slowest. */
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
  { name: "every command of a document is run by a test, or says what it needs", find: docCommands },
  {
    name: "every regular expression of the product takes time that grows with its text alone",
    find: slowExpressionProblems,
  },
  { name: "imports go one way, through one door each", find: checkImports },
  {
    name: "files and folders are named for what they define",
    find: (root) => nameProblems(readSourceTree(root).keys()),
  },
  {
    name: "a socket is reset only where its process can end afterwards",
    find: (root) => resetProblems(readSourceTree(root)),
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
    name: "types",
    // Not incremental: the build's own record must not claim files that the build did not write.
    find: async (root) => {
      const checked = ["--noEmit", "--incremental", "false", "--tsBuildInfoFile", "null"];
      const page = await runTool(root, "tsc", ["-p", "services/console/page", ...checked]);
      return [...(await runTool(root, "tsc", checked)), ...page];
    },
  },
  { name: "format and lint", find: (root) => runTool(root, "biome", ["ci", "--colors=off", "."]) },
  { name: "what is generated is committed as it would be generated now", find: staleFiles },
];

async function staleFiles(root: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, generate] of Object.entries(GENERATED)) {
    try {
      for (const { file, text } of await generate(root)) {
        const isCurrent = existsSync(join(root, file)) && readFileSync(join(root, file), "utf8") === text;
        if (!isCurrent) problems.push(`${file}: is out of date; run \`npm run generate\` and commit it`);
      }
    } catch (error) {
      // A gate that cannot run hides none of the others.
      problems.push(`${name}: cannot be generated: ${(error as Error).message}`);
    }
  }
  return problems;
}

function readJson<T>(root: string, path: string): T {
  return JSON.parse(readFileSync(join(root, path), "utf8")) as T;
}

/**
 * Runs a tool of `node_modules/.bin` in the checkout; returns its output by lines if it fails, otherwise
 * nothing.
 */
async function runTool(root: string, name: string, args: readonly string[]): Promise<string[]> {
  const child = spawn(join(root, "node_modules", ".bin", name), args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (code === 0) return [];
  return [...output.trimEnd().split("\n"), `${name} ended with ${signal ?? code}`];
}
