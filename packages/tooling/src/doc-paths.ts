import { posix } from "node:path";
import { trackedPaths, trackedTexts } from "./tracked-files.ts";

/** The beginnings of paths in a document that start at the checkout's root. */
const FROM_ROOT = /^(?:\.ci|bench|deploy|docs|examples|packages|services|test)\//;
/** Names of files that do not exist yet: a build or a start makes them, or the reader fills them in. */
const MADE = /^deploy\/compose\/secrets\/|[<>…$]/;

/**
 * Each link and each path in code marks of a document that leads to nothing: `<document>:<line>: …`. Also a link to a
 * heading that its document lacks.
 * @param document its path from the root
 * @param paths every file and folder of the checkout, from the root
 * @param headings the anchors of a document of the checkout
 */
export function docPathProblems(
  document: string,
  text: string,
  paths: ReadonlySet<string>,
  headings: (document: string) => ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  for (const [index, line] of withoutBlocks(text).entries()) {
    const say = (what: string) => problems.push(`${document}:${index + 1}: ${what}`);
    for (const [, target = ""] of withoutCode(line).matchAll(/\]\(([^)\s]+)\)/g)) {
      const fault = linkFault(document, target, paths, headings);
      if (fault !== undefined) say(fault);
    }
    for (const [, code = ""] of line.matchAll(/`([^`]+)`/g)) {
      // `npm test` takes parts of paths.
      const suffix = /\bnpm test /.test(code) ? "*" : "";
      const missing = pathsIn(code).filter(
        (path) => ![path, path + suffix].some((one) => isThere(one, paths)),
      );
      for (const path of missing) say(`names ${path}, and there is no such file or folder`);
    }
  }
  return problems;
}

function linkFault(
  document: string,
  target: string,
  paths: ReadonlySet<string>,
  headings: (document: string) => ReadonlySet<string>,
): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? document : posix.join(posix.dirname(document), path);
  if (!paths.has(file.replace(/\/$/, ""))) return `links to ${target}, and there is no ${file}`;
  if (anchor === undefined || headings(file).has(anchor)) return undefined;
  return `links to ${target}, and ${file} has no such heading`;
}

/** In GitHub's form: lower case, spaces to hyphens, without marks. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const headings = withoutBlocks(text).flatMap((line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-"),
    ),
  );
}

/** Paths in code marks: each word of a command that is one, `{a,b}` as several, without a line number or a full stop. */
function pathsIn(code: string): string[] {
  return code
    .split(/[\s"'=]+/)
    .map((word) => word.replace(/^\.\/(?!$)/, "").replace(/[:#]\d+$|[,;:).]+$/g, ""))
    .filter((word) => FROM_ROOT.test(word) && !MADE.test(word))
    .flatMap(expand);
}

function expand(path: string): string[] {
  const braces = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path);
  if (braces === null) return [path.replace(/\/$/, "")];
  const [, before = "", inside = "", after = ""] = braces;
  return inside.split(",").flatMap((one) => expand(before + one + after));
}

function isThere(path: string, paths: ReadonlySet<string>): boolean {
  if (!path.includes("*")) return paths.has(path);
  const quoted = path.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, "[^/]*");
  const pattern = new RegExp(`^${quoted}$`);
  for (const known of paths) if (pattern.test(known)) return true;
  return false;
}

/** Lines of blocks of code are emptied, so that the others keep their numbers. */
function withoutBlocks(text: string): string[] {
  let isBlock = false;
  return text.split("\n").map((line) => {
    if (/^\s*(```|~~~)/.test(line)) {
      isBlock = !isBlock;
      return "";
    }
    return isBlock ? "" : line;
  });
}

function withoutCode(line: string): string {
  return line.replace(/`[^`]*`/g, "");
}

/** Other text of this document is history: the changelog names files that are gone. */
const CHECKED = /^(?:README|SECURITY)\.md$|^(?:docs|deploy|bench|examples|packages)\/.*\.md$/;

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
