import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A statement, or a piece of one, in a source: the strings around its parameters. */
export interface SourceTemplate {
  readonly file: string;
  readonly strings: readonly string[];
}

/** `sql`, `store` or a name of a transaction, with its row type or without. */
const TAG = /(?<![\w.`])(?:sql|store|nested|transaction|tx)\b(?:<[^`]*?>)?`/g;

/** All SQL templates in the sources under a folder, including nested ones, without tests. For tests. */
export function sourceTemplates(folder: string): SourceTemplate[] {
  return sourceFiles(folder).flatMap((file) => {
    // Comments quote code in backticks.
    const source = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return templatesIn(source).map((strings) => ({ file, strings }));
  });
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /^(?!test-).*(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function templatesIn(source: string): string[][] {
  const found: string[][] = [];
  for (const tag of source.matchAll(TAG)) found.push(stringsFrom(source, tag.index + tag[0].length));
  return found;
}

/** Reads a template up to its closing backtick, skipping parameters that contain templates. */
function stringsFrom(source: string, start: number): string[] {
  const strings: string[] = [];
  let at = start;
  let from = start;
  while (source[at] !== "`") {
    if (at >= source.length) throw new Error("a template does not end");
    if (source[at] === "\\") at += 2;
    else if (source.startsWith("${", at)) {
      strings.push(source.slice(from, at));
      at = endOfParameter(source, at + 2);
      from = at;
    } else at++;
  }
  return [...strings, source.slice(from, at)];
}

function endOfParameter(source: string, start: number): number {
  let at = start;
  for (let depth = 1; depth > 0; at++) {
    const char = source[at];
    if (char === undefined) throw new Error("a parameter does not end");
    if (char === "{") depth++;
    else if (char === "}") depth--;
    else if (char === "`") at = endOfTemplate(source, at + 1);
  }
  return at;
}

/** The position of the closing backtick. */
function endOfTemplate(source: string, start: number): number {
  let at = start;
  while (source[at] !== "`") {
    if (source.startsWith("${", at)) at = endOfParameter(source, at + 2);
    else at += source[at] === "\\" ? 2 : 1;
  }
  return at;
}
