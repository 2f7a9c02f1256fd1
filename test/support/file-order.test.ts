import { existsSync } from "node:fs";
import t from "tap";
import { ALONE, FOR_CI, inOrder, LONG_FILES, ofDoor } from "./file-order.ts";

const dist = new URL("../../", import.meta.url);

t.test("file order - every file that is listed is there, and once", async (t) => {
  const listed = [...LONG_FILES, ...ALONE];
  t.strictSame(
    listed.filter((file) => !existsSync(new URL(file, dist))),
    [],
  );
  t.equal(new Set(listed).size, listed.length);
});

t.test("doors - what npm test leaves out is there, and .ci/run takes it", async (t) => {
  t.strictSame(
    FOR_CI.filter((path) => !existsSync(new URL(path, dist))),
    [],
  );
  t.equal(new Set(FOR_CI).size, FOR_CI.length);
  const files = ["test/browser/a.test.js", "test/flow/a.test.js"];
  t.strictSame(ofDoor(files, "test"), ["test/flow/a.test.js"]);
  t.strictSame(ofDoor(files, "ci"), files);
});

t.test(
  "file order - the long ones begin, those of a package share a process, and none is left out",
  async (t) => {
    const [longest = "", second = ""] = LONG_FILES;
    const [alone = ""] = ALONE;
    const files = ["packages/b/2.test.js", second, "test/flow/a.test.js", "packages/a/1.test.js", alone];
    t.strictSame(inOrder([...files, "packages/b/1.test.js", longest]), [
      [longest],
      [second],
      ["packages/a/1.test.js"],
      ["packages/b/1.test.js", "packages/b/2.test.js"],
      [alone],
      ["test/flow/a.test.js"],
    ]);
  },
);

t.test("file order - many files of a package share several processes, as many each", async (t) => {
  const files = Array.from({ length: 33 }, (_, i) => `packages/a/${String(i).padStart(2, "0")}.test.js`);
  const parts = inOrder(files);
  t.strictSame(parts.flat(), files);
  t.strictSame(
    parts.map(({ length }) => length),
    [11, 11, 11],
  );
});
