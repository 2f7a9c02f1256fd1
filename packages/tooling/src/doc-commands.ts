import { posix } from "node:path";
import { isTest, trackedTexts } from "./tracked-files.ts";

/** The documents with commands to paste. */
const DOCUMENT = /^(?:README|SECURITY)\.md$|^(?:bench|docs|deploy|examples|packages)\/.*\.md$/;

/** Before a block of commands: the test that runs it, or its missing requirement. */
const MARK = /^\s*<!-- (?:run by (?<test>\S+\.test\.ts)|not run here: needs (?<needs>.+)) -->$/;

/** Fences that name their content. */
const SHELL = new Set(["sh", "bash", "shell", "zsh", "console"]);
/** The first words of a block of commands without a language, or of an indented one. */
const PROGRAM =
  /^(?:\$ |(?:npm|npx|node|stampede|curl|docker|kubectl|helm|psql|nats|nats-server|git|sh|cd|python3|pip|systemctl|apt-get) )/;

/** The text of a file of the checkout by its path; undefined if there is none. */
type ReadFile = (path: string) => string | undefined;

/** Commands as a document shows them. */
interface Block {
  /** Index of its first line, which is the fence if it has one. */
  readonly at: number;
  readonly lines: readonly string[];
}

/**
 * Each block of shell commands that names neither the test that runs it nor its missing requirement, and each
 * that names a test which does not exist, does not read this document, or does not contain its commands:
 * `<document>:<line>: …`. Also, in blocks and in code marks, commands that `stampede` and `npm run` do not
 * know.
 */
export function docCommandProblems(document: string, text: string, read: ReadFile): string[] {
  const lines = text.split("\n");
  const say = (at: number) => (fault: string) => `${document}:${at + 1}: ${fault}`;
  const isKnown = knownCommands(read);
  const unknown = (commands: readonly string[][]) =>
    commands.filter((words) => !isKnown(words)).map((words) => `there is no command \`${words.join(" ")}\``);
  return [
    ...commandBlocks(lines).flatMap((block) =>
      [...blockFaults(document, block, lines, read), ...unknown(commandsOf(block))].map(say(block.at)),
    ),
    ...lines.flatMap((line, at) => {
      const marked = [...line.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
      return unknown(marked.flatMap((code) => commandsOf({ lines: [code] }))).map(say(at));
    }),
  ];
}

/** For `stampede` the table of commands, which a test compares with the program; for `npm run` the scripts. */
function knownCommands(read: ReadFile): (words: readonly string[]) => boolean {
  const [, table = ""] = /^## All commands$(.*?)^## /ms.exec(read("docs/operations/commands.md") ?? "") ?? [];
  const rows = table.split("\n").map((row) => row.split("|")[1] ?? "");
  const commands = new Set(rows.flatMap((cell) => cell.match(/(?<=`)[a-z-]+/g) ?? []));
  const { scripts = {} } = JSON.parse(read("package.json") ?? "{}") as { scripts?: object };
  return ([program, first, second]) => {
    if (program === "stampede" && first !== undefined) return commands.has(first);
    if (program === "npm" && first === "run" && second !== undefined) return Object.hasOwn(scripts, second);
    return true;
  };
}

function blockFaults(document: string, block: Block, lines: readonly string[], read: ReadFile): string[] {
  const above = lines.slice(0, block.at).findLast((line) => line.trim() !== "") ?? "";
  const mark = MARK.exec(above)?.groups;
  if (mark === undefined) {
    return [
      "put `<!-- run by <test> -->` or `<!-- not run here: needs … -->` on the line before these commands",
    ];
  }
  if (mark.test === undefined) return missingFiles(mark.needs ?? "", read);
  return testFaults(document, block, mark.test, read);
}

/** Other text in a mark, such as which test runs something similar. */
function missingFiles(needs: string, read: ReadFile): string[] {
  return (needs.match(/[\w./-]+\.(?:ts|mjs|sh)\b/g) ?? [])
    .filter((path) => path.includes("/") && read(path) === undefined)
    .map((path) => `names ${path}, and there is no such file`);
}

function testFaults(document: string, block: Block, path: string, read: ReadFile): string[] {
  const test = read(path);
  if (test === undefined) return [`is said to be run by ${path}, and there is no such test`];
  const name = posix.basename(document);
  if (!test.includes(name)) return [`is said to be run by ${path}, which does not name ${name}`];
  const code = withoutComments(test);
  if (takesBlocks(code, name)) return [];
  const ran = [code, ...helpersOf(path, code, read).map(withoutComments)].join("\n");
  return commandsOf(block)
    .filter((words) => !whatToFind(words).every((word) => occurs(word, ran)))
    .map((words) => `is said to be run by ${path}, in which there is no \`${words.join(" ")}\``);
}

/**
 * Tests run our own commands within their process, or by the path of its main file: only the command's task
 * is named.
 */
function whatToFind([program = "", ...rest]: readonly string[]): readonly string[] {
  return program === "stampede" && rest.length > 0 ? rest : [program, ...rest];
}

/**
 * Reads the document and takes its blocks of shell commands out, to run them unchanged: then no command is
 * named in it.
 */
function takesBlocks(code: string, name: string): boolean {
  return code.includes(name) && code.includes("```") && /\bsh\b/.test(code);
}

/** The files next to a test that only tests use: the programs that it starts are often named there. */
function helpersOf(path: string, code: string, read: ReadFile): string[] {
  return [...code.matchAll(/ from "(\.{1,2}\/[^"]+)"/g)]
    .map(([, target = ""]) => posix.join(posix.dirname(path), target))
    .filter(isTest)
    .flatMap((helper) => read(helper) ?? []);
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

function occurs(word: string, code: string): boolean {
  const quoted = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${quoted}(?![\\w-])`, "i").test(code);
}

/** For each command its program and the plain words after it, which name its task: `npm run bench`. */
export function commandsOf({ lines }: Pick<Block, "lines">): string[][] {
  const isTranscript = lines.some((line) => line.trimStart().startsWith("$ "));
  const shown = isTranscript ? lines.filter((line) => line.trimStart().startsWith("$ ")) : lines;
  return shown
    .join("\n")
    .replace(/\\\n/g, " ")
    .split(/\n|&&|;|\|/)
    .map((command) =>
      command
        .replace(/(^|\s)#.*$/, "")
        .trim()
        .replace(/^(?:\$ |npx )+/, "")
        .split(/\s+/),
    )
    .map(([program = "", ...rest]) => [program, ...leadingWords(rest)])
    .filter(([program]) => program !== "");
}

function leadingWords(words: readonly string[]): string[] {
  const end = words.findIndex((word) => !/^[a-z][a-z:-]*$/.test(word));
  return end < 0 ? [...words] : words.slice(0, end);
}

/** All blocks of a document that hold shell commands, fenced or indented. */
function commandBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let index = 0;
  while (index < lines.length) {
    const { block, next } = blockAt(lines, index);
    if (block !== undefined) blocks.push(block);
    index = next;
  }
  return blocks;
}

/** The block that begins at this line, if it holds commands, and the line after it. */
function blockAt(lines: readonly string[], at: number): { block?: Block; next: number } {
  const [, fence, language = ""] = /^\s*(`{3,}|~{3,})\s*([\w-]*)/.exec(lines[at] ?? "") ?? [];
  if (fence !== undefined) {
    const closing = lines.findIndex((line, index) => index > at && line.trim() === fence);
    const end = closing < 0 ? lines.length : closing;
    const inside = lines.slice(at + 1, end);
    const isShell = SHELL.has(language) || (language === "" && PROGRAM.test((inside[0] ?? "").trim()));
    return { ...(isShell && { block: { at, lines: inside } }), next: end + 1 };
  }
  const isIndented = /^(?: {4}|\t)/.test(lines[at] ?? "") && (at === 0 || lines[at - 1]?.trim() === "");
  if (!isIndented || !PROGRAM.test((lines[at] ?? "").trim())) return { next: at + 1 };
  const length = lines.slice(at).findIndex((line) => line.trim() === "");
  const end = length < 0 ? lines.length : at + length;
  return { block: { at, lines: lines.slice(at, end) }, next: end };
}

export function docCommands(root: string): string[] {
  const texts = new Map(trackedTexts(root));
  return [...texts]
    .filter(([path]) => DOCUMENT.test(path))
    .flatMap(([path, text]) => docCommandProblems(path, text, (file) => texts.get(file)));
}
