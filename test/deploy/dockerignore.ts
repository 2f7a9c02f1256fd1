/**
 * Whether a path of the build context goes to the build, by the rules of a .dockerignore file: a pattern matches a path
 * or a folder above it, `*` stays within a name, `**` does not, and the last pattern that matches decides.
 */
export function readDockerignore(text: string): (path: string) => boolean {
  const rules = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ keeps: line.startsWith("!"), pattern: toPattern(line.replace(/^!/, "")) }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.keeps ?? true;
}

function toPattern(glob: string): RegExp {
  const parts = glob.replace(/^\/|\/$/g, "").split(/(\*\*\/|\*\*|\*)/);
  const meaning: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" };
  const source = parts.map((part) => meaning[part] ?? part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("");
  return new RegExp(`^${source}(?:/.*)?$`);
}
