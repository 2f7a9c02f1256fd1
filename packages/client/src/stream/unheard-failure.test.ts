import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";

const PROGRAM = fileURLToPath(new URL("./test-unheard-program.js", import.meta.url));

t.test("unheard - a program that ends without having learnt of it ends with the error", async (t) => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM], { encoding: "utf8" });
  t.not(status, 0);
  t.match(stderr, /UndeliveredError: 1 events are not known to be delivered: it is authentication_error/);
});

t.test("unheard - a program that has learnt of it decides for itself", async (t) => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, "ask"], { encoding: "utf8" });
  t.strictSame([status, stderr], [0, ""]);
});
