import { trackedTexts } from "./tracked-files.ts";

/** The documents whose commands somebody pastes. */
const DOCUMENT = /^(?:README\.md|(?:docs|deploy|examples|packages)\/.*\.md)$/;

/** Before a block of commands: who runs it in the tests, or what it needs that is not there. */
const MARK = /^\s*<!-- (?:run by (?<test>\S+\.test\.ts)|not run here: needs .+) -->$/;

/**
 * Each block of shell commands that says neither which test runs it nor what it needs for that, and each that names a test
 * which is not there or does not read this document: `<document>:<line>: …`.
 * @param tests the text of a test by its path, undefined where there is none
 */
export function docCommandProblems(
  document: string,
  text: string,
  tests: (path: string) => string | undefined,
): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (!/^\s*```sh$/.test(line)) return [];
    const say = (what: string) => [`${document}:${index + 1}: ${what}`];
    const mark = MARK.exec(lines[index - 1] ?? "");
    if (mark === null) {
      return say(
        "put `<!-- run by <test> -->` or `<!-- not run here: needs … -->` on the line before these commands",
      );
    }
    const path = mark.groups?.test;
    if (path === undefined) return [];
    const test = tests(path);
    if (test === undefined) return say(`is said to be run by ${path}, and there is no such test`);
    const name = document.split("/").at(-1) ?? document;
    return test.includes(name) ? [] : say(`is said to be run by ${path}, which does not name ${name}`);
  });
}

export function docCommands(root: string): string[] {
  const texts = new Map(trackedTexts(root));
  return [...texts]
    .filter(([path]) => DOCUMENT.test(path))
    .flatMap(([path, text]) => docCommandProblems(path, text, (test) => texts.get(test)));
}
