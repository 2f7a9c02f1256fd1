import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import t from "tap";

/** The identifiers that docs/platform-api.md works out by hand, with its commands word for word. */

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const DOCUMENT = read("docs/platform-api.md");
const { vectors } = JSON.parse(read("test/vectors/transaction-identifiers.json")) as {
  vectors: ReadonlyArray<
    Record<"auth_code" | "network" | "bin" | "merchant_id", string> & { identifiers: string[] }
  >;
};

const [, commands = "", printed = ""] =
  /^```sh\n(printf.*?)^```\n\n```text\n(.*?)^```$/ms.exec(DOCUMENT) ?? [];
const hasSha256sum = spawnSync("sha256sum", ["--version"]).status === 0;

t.test("worked example - is one of the vectors", async (t) => {
  const vector = vectors.find(({ bin }) => bin === "41111122");
  t.ok(vector);
  for (const part of [vector?.auth_code, vector?.merchant_id]) t.match(commands, part);
  t.strictSame(
    printed.trimEnd().split("\n"),
    vector?.identifiers.map((identifier) => `${identifier}  -`),
  );
});

t.test(
  "worked example - its commands print the output shown",
  { skip: hasSha256sum ? false : "not run here: there is no sha256sum" },
  async (t) => {
    t.match(spawnSync("sh", ["-c", commands], { encoding: "utf8" }), {
      status: 0,
      stdout: printed,
      stderr: "",
    });
  },
);
