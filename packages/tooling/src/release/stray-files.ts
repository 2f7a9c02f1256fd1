import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Files that git ignores but a release would contain: a `.env` or a key beside the files of `deploy/`.
 * `git status` does not show them if the user's own excludes name them, and npm packs every file in the
 * folders of `files` in package.json.
 */
export function strayFiles(root: string): string[] {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    files: readonly string[];
  };
  // Compiled files are ignored on purpose; the release compiles them again from the sources.
  const packed = files.filter((path) => !path.startsWith("!") && !path.startsWith("dist/"));
  const left = files.filter((path) => path.startsWith("!")).map((path) => `:(exclude)${path.slice(1)}`);
  const args = [
    "-c",
    "safe.directory=*",
    "ls-files",
    "-z",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--",
  ];
  const listed = execFileSync(
    "git",
    [...args, ...packed.map((path) => `:(glob)${path}`), ...packed, ...left],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return listed.split("\0").filter((path) => path !== "");
}
