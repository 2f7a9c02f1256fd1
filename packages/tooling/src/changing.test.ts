import { readFileSync } from "node:fs";
import t from "tap";
import { GATES } from "./gates.ts";
import { ROOT } from "./root.ts";
import { trackedPaths } from "./tracked-files.ts";

/** Compares the checklists of docs/changing.md with the files and gates that they name. */
const [, ...lists] = readFileSync(`${ROOT}docs/changing.md`, "utf8").split(/^## /m);
const gates = new Set(GATES.map(({ name }) => name));
const files = trackedPaths(ROOT);
/**
 * The possible entries for the gate or test that notices a missed step: one of these, or several with `; `
 * between.
 */
const NOTICER =
  /^(?:(?:the compiler|nothing)(?: for [\w` ]+)?|gate "(?<gate>[^"]+)"|`(?<test>[^`]+\.test\.ts)`)$/;

const titleOf = (list: string): string => list.slice(0, list.indexOf("\n"));
const isThere = (path: string): boolean =>
  files.has(path) || [...files].some((file) => file.startsWith(`${path}/`));

t.test("changing - each kind of change has a checklist", async (t) => {
  t.strictSame(lists.map(titleOf), [
    "A field of an event",
    "A field of the platform's record",
    "A route",
    "A webhook event type",
    "A reward type",
    "A metric",
    "A setting",
    "A new layout of a message between services",
    "A migration",
  ]);
});

for (const list of lists) {
  t.test(`changing, ${titleOf(list)} - its files, tests and gates exist`, async (t) => {
    const rows = list.split("\n").filter((line) => line.startsWith("| `"));
    t.ok(rows.length > 4);
    for (const row of rows) {
      const [file = "", what = "", notices = ""] = row.slice(2, -2).split(" | ");
      const path = file.replaceAll("`", "");
      t.ok(isThere(path), `${path} is there`);
      t.not(what, "", `${path}: it says what to do`);
      for (const one of notices.split("; ")) {
        t.match(one, NOTICER, `${path}: ${one}`);
        const { gate, test } = NOTICER.exec(one)?.groups ?? {};
        if (gate !== undefined) t.ok(gates.has(gate), `${gate} is a gate`);
        if (test !== undefined) t.ok(files.has(test), `${test} is there`);
      }
    }
  });
}
