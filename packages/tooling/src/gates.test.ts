import t from "tap";
import { GATES } from "./gates.ts";

/** Listed by hand, so that a merge that drops a line cannot drop the gate. In the order in which they run. */
const NAMES = [
  "dependencies are pinned, and the lockfile installs everywhere",
  "every package has a licence that is allowed",
  "what the documents refer to is there",
  "every command of a document is run by a test, or says what it needs",
  "every regular expression of the product takes time that grows with its text alone",
  "imports go one way, through one door each",
  "files and folders are named for what they define",
  "a socket is reset only where its process can end afterwards",
  "migrations leave the previous version at work, or say that they do not",
  "no file names a developer's machine or a package registry",
  "types",
  "format and lint",
  "what is generated is committed as it would be generated now",
];

t.test("gates - every gate is there, none is lost unnoticed", async (t) => {
  t.strictSame(
    GATES.map((gate) => gate.name),
    NAMES,
  );
});
