import { existsSync } from "node:fs";
import t from "tap";
import { inOrder, LONG_FILES, WAITING_FILES } from "./file-order.ts";

const dist = new URL("../../", import.meta.url);

t.test("file order - every file that is listed is there, and once", async (t) => {
  const listed = [...LONG_FILES, ...WAITING_FILES];
  t.strictSame(
    listed.filter((file) => !existsSync(new URL(file, dist))),
    [],
  );
  t.equal(new Set(listed).size, listed.length);
});

t.test("file order - the long ones begin, those that wait are apart, and none is left out", async (t) => {
  const [longest = "", second = ""] = LONG_FILES;
  const [waiting = ""] = WAITING_FILES;
  t.strictSame(inOrder(["b.test.js", second, waiting, "a.test.js", longest]), {
    working: [longest, second, "a.test.js", "b.test.js"],
    waiting: [waiting],
  });
});
