import { posix } from "node:path";
import { isTest, type SourceTree } from "./source-tree.ts";

const MAX_LINES = 400;
/** Names that say nothing about what is inside, alone or at the end of another. */
const NAMELESS = /(^|[-_.])(utils?|helpers?|common|lib|misc)$/i;

/** Files and folders that are named for nothing, and sources of more than 400 lines (tests may have them). */
export function fileProblems(tree: SourceTree): string[] {
  const problems: string[] = [];
  for (const [path, source] of tree) {
    const { dir, name } = posix.parse(path);
    const nameless = [...dir.split("/"), name].find((part) => NAMELESS.test(part));
    if (nameless !== undefined) {
      problems.push(`${path}: "${nameless}" says nothing; name it for the one thing it defines`);
    }
    const lines = source.split("\n").length - 1;
    if (lines > MAX_LINES && !isTest(path)) {
      problems.push(`${path}: has ${lines} lines, more than ${MAX_LINES}; split it by what its parts do`);
    }
  }
  return problems;
}
