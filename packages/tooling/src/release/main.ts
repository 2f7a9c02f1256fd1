/**
 * `npm run release`: makes all files of a release in a folder and prints where each would go, by which command.
 * It uploads nothing: a person with the rights runs the commands. With `--dry-run` it removes the folder again, and
 * only reports missing parts.
 *
 *   npm run release -- [--dry-run] [--out <folder>] [--files] [--json]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../root.ts";
import { packRelease } from "./pack-release.ts";
import { describeImage, reportLines } from "./report-lines.ts";
import { strayFiles } from "./stray-files.ts";
import { changesOf, versionProblems } from "./versions.ts";

const { values: flags } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    out: { type: "string" },
    files: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const isDry = flags["dry-run"];
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const { version } = JSON.parse(read("package.json")) as { version: string };

const problems = [...versionProblems(version, read), ...readinessProblems()];
if (!isDry && problems.length > 0) {
  for (const problem of problems) process.stderr.write(`release: ${problem}\n`);
  process.exit(1);
}
const out = openFolder();
try {
  const files = packRelease(ROOT, version, out);
  const image = describeImage(version, read("deploy/image/Dockerfile"));
  const release = { version, problems, files, image };
  const kept = isDry ? undefined : out;
  const lines = flags.json ? [JSON.stringify(release, null, 1)] : reportLines(release, kept, flags.files);
  for (const line of lines) process.stdout.write(`${line}\n`);
} finally {
  if (isDry && flags.out === undefined) rmSync(out, { recursive: true, force: true });
}

/** The requirements of a release, besides its version everywhere. */
function readinessProblems(): string[] {
  const found: string[] = [];
  if (changesOf(version, read("CHANGELOG.md")) === undefined) {
    found.push(`CHANGELOG.md: has no section ${version}; what is under Unreleased becomes it`);
  }
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  if (git("status", "--porcelain") !== "") found.push("the checkout has changes that are in no commit");
  for (const file of strayFiles(ROOT))
    found.push(`${file}: git ignores it, and it would be packed: move it away`);
  return found;
}

function openFolder(): string {
  if (isDry && flags.out === undefined) return mkdtempSync(join(tmpdir(), "stampede-release-"));
  const folder = resolve(flags.out ?? join(ROOT, ".stampede/release", `v${version}`));
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) {
    process.stderr.write(`release: ${folder} is not empty: a release is made in an empty folder\n`);
    process.exit(1);
  }
  return folder;
}
