import { posix } from "node:path";
import { anchorsOf, docPathProblems } from "./doc-paths.ts";
import { trackedPaths, trackedTexts } from "./tracked-files.ts";

/** What is not a path in it is what somebody wrote at the time: the changelog tells of files that have gone since. */
const CHECKED = /^(?:README|SECURITY)\.md$|^(?:docs|deploy|bench)\/.*\.md$/;

export function docProblems(root: string): string[] {
  const texts = new Map([...trackedTexts(root)].filter(([path]) => path.endsWith(".md")));
  const paths = withFolders(trackedPaths(root));
  const headings = (document: string) => anchorsOf(texts.get(document) ?? "");
  return [...texts]
    .filter(([path]) => CHECKED.test(path))
    .flatMap(([path, text]) => docPathProblems(path, text, paths, headings));
}

function withFolders(files: Iterable<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const file of files) {
    for (let path = file; path !== "."; path = posix.dirname(path)) all.add(path);
  }
  return all;
}
