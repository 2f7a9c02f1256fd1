import { spawnSync } from "node:child_process";
import t from "tap";

t.test(
  "test support - regression: tap took over a program that imported it, and ended it after 30 s",
  async (t) => {
    const door = new URL("./index.js", import.meta.url).href;
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", `await import(${JSON.stringify(door)})`],
      { encoding: "utf8" },
    );
    t.strictSame([status, stdout], [0, ""]);
  },
);
