import { readFileSync } from "node:fs";
import t from "tap";
import { readyBlock } from "./announce.ts";

const README = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");
const FOLDER = "/path/to/stampede/.stampede";

/** The output of a start in `/path/to/stampede` with default settings. */
const block = readyBlock(
  {
    publisherUrl: "http://127.0.0.1:8080",
    platformUrl: "http://127.0.0.1:8090",
    opsUrl: "http://127.0.0.1:9464",
    link: "http://127.0.0.1:8070/#link=…",
  },
  {
    publisher: { file: `${FOLDER}/token`, created: true, known: true },
    platform: { file: `${FOLDER}/platform-token`, created: true, known: true },
  },
  `${FOLDER}/logs`,
  1.4,
);

t.test("ready block - equals the one in the README", async (t) => {
  const [, shown = ""] = /^```text\n(Stampede is ready.*?)^```$/ms.exec(README) ?? [];
  t.equal(shown.trim(), block.trim());
});

t.test("ready block - the function to be pasted does not hide the command", async (t) => {
  t.match(block, /^ {2}npx stampede /m);
  t.notMatch(block, /^\s*stampede\(\)/m);
});
