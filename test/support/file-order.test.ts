import { existsSync, readFileSync } from "node:fs";
import t from "tap";
import { ALONE, FOR_CI, FOR_LONG, inOrder, LONG_FILES, ofDoor } from "./file-order.ts";

const dist = new URL("../../", import.meta.url);

t.test("file order - every listed file exists, and is listed once", async (t) => {
  const listed = [...LONG_FILES, ...ALONE];
  t.strictSame(
    listed.filter((file) => !existsSync(new URL(file, dist))),
    [],
  );
  t.equal(new Set(listed).size, listed.length);
});

t.test("doors - every file that one command leaves out exists, and the next one runs it", async (t) => {
  const left = [...FOR_CI, ...FOR_LONG];
  t.strictSame(
    left.filter((path) => !existsSync(new URL(path, dist))),
    [],
  );
  t.equal(new Set(left).size, left.length);
  const [long = ""] = FOR_LONG;
  const files = ["test/browser/a.test.js", "test/flow/a.test.js", long];
  t.strictSame(ofDoor(files, "test"), ["test/flow/a.test.js"]);
  t.strictSame(ofDoor(files, "ci"), ["test/browser/a.test.js", "test/flow/a.test.js"]);
  const { scripts } = JSON.parse(readFileSync(new URL("../package.json", dist), "utf8"));
  const taken = scripts["test:long"].split("run.js ")[1].split(" ");
  t.strictSame(
    FOR_LONG.filter((file) => !taken.some((part: string) => file.includes(part))),
    [],
    "npm run test:long runs the rest",
  );
});

t.test(
  "file order - long files begin first, files of a package share a process, and none is left out",
  async (t) => {
    const [longest = "", second = ""] = LONG_FILES;
    const [alone = ""] = ALONE;
    const files = ["packages/b/2.test.js", second, "test/browser/a.test.js", "packages/a/1.test.js", alone];
    t.strictSame(inOrder([...files, "packages/b/1.test.js", longest]), [
      [longest],
      [second],
      ["packages/a/1.test.js"],
      ["packages/b/1.test.js", "packages/b/2.test.js"],
      [alone],
      ["test/browser/a.test.js"],
    ]);
  },
);

t.test("file order - many files of a package share several processes equally", async (t) => {
  const files = Array.from({ length: 33 }, (_, i) => `packages/a/${String(i).padStart(2, "0")}.test.js`);
  const parts = inOrder(files);
  t.strictSame(parts.flat(), files);
  t.strictSame(
    parts.map(({ length }) => length),
    [11, 11, 11],
  );
  const flow = Array.from({ length: 8 }, (_, i) => `test/flow/deep/${i}.test.js`);
  t.strictSame(inOrder(flow), [flow.slice(0, 4), flow.slice(4)], "fewer if they start services");
});
