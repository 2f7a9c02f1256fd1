import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { writeWhole } from "./write-rows.ts";

const { signal } = new AbortController();

t.test("export - of two to one file at once, each appears whole", async (t) => {
  const dir = t.testdir({});
  const file = join(dir, "march.csv");
  const begun = gate();
  const other = gate();
  const slow = async function* () {
    yield "the first\n";
    begun.resolve();
    await other.promise;
    yield "and its end\n";
  };
  const first = writeWhole(file, slow(), signal);
  await begun.promise;
  const short = async function* () {
    yield "all\n";
  };
  await writeWhole(file, short(), signal);
  t.equal(readFileSync(file, "utf8"), "all\n");
  other.resolve();
  await first;
  t.equal(readFileSync(file, "utf8"), "the first\nand its end\n");
  t.strictSame(readdirSync(dir), ["march.csv"]);
});

/** Node 20 has no `Promise.withResolvers`. */
function gate() {
  let resolve!: () => void;
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
}
