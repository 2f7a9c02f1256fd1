import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { makeEvent, type Pipeline, PublisherClient, startPipeline } from "#test-support";
import { FIELDS } from "./import-map.ts";
import { commandProcess } from "./test-import.ts";

const GUIDE = readFileSync(new URL("../../../../../docs/import.md", import.meta.url), "utf8");

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());

interface Block {
  readonly language: string;
  readonly text: string;
  /** The last file named before the block. */
  readonly file: string | undefined;
}

/** The blocks of code of a section, in their order. */
function blocksOf(title: string): Block[] {
  const start = GUIDE.indexOf(`## ${title}\n`);
  const end = GUIDE.indexOf("\n## ", start + 1);
  const section = GUIDE.slice(start, end < 0 ? undefined : end);
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ({ 1: language = "", 2: text = "", index }) => ({
      language,
      text,
      file: [...section.slice(0, index).matchAll(/`([\w-]+\.\w+)`/g)].at(-1)?.[1],
    }),
  );
}

async function organisation(t: Test) {
  const publisher = await pipeline.newPublisher();
  const client = new PublisherClient(pipeline.edge.url, publisher.token);
  const memberbase = (await client.post("member-base/create", { name: "bank" })).body.id as string;
  const dir = t.testdir({ token: publisher.token });
  const run = (line: string) => {
    const args = line.replace("$MEMBERBASE", memberbase).trim().split(" ").slice(1);
    return commandProcess(t, [...args, "--url", pipeline.edge.url as string, "--token-file", "token"], {
      cwd: dir,
    });
  };
  return { client, dir, run };
}

t.test("the guide - its files, imported as it says, give the results shown", async (t) => {
  const { client, dir, run } = await organisation(t);
  const blocks = blocksOf("In two steps");
  t.strictSame(
    blocks.map(({ language }) => language),
    ["csv", "json", "sh", "text", "sh", "text"],
  );
  let out: string | undefined;
  for (const { language, text, file } of blocks) {
    if (language === "csv" || language === "json") writeFileSync(join(dir, file as string), text);
    if (language === "text") t.equal(out, text);
    if (language !== "sh") continue;
    const result = await run(text);
    t.equal(result.code, 2, result.err);
    out = result.out;
  }
  t.match((await client.post("transaction/get", { external_id: "T-1002" })).body, {
    network: "mastercard",
    amount: 102_399,
    currency: "EUR",
    statement_descriptor: "BOOKS & MORE",
    authed_at: "2026-03-01T09:40:00.000Z",
  });
  t.match(JSON.parse(readFileSync(join(dir, "rejected.jsonl"), "utf8")), { line: 4, row: { Ref: "T-1003" } });
});

t.test("the guide - its export writes the span that the guide names", async (t) => {
  const { client, dir, run } = await organisation(t);
  const [ada] = (await client.enrol("ada")) as [string];
  const times = [
    "2026-02-28T23:59:59Z",
    "2026-03-01T00:00:00Z",
    "2026-03-31T23:59:59Z",
    "2026-04-01T00:00:00Z",
  ];
  const events = times.map((authed_at, i) => makeEvent(ada, { authed_at, external_id: `e-${i}` }));
  t.equal((await client.ingest(events)).status, 200);
  const [block] = blocksOf("Into a file") as [Block];
  const result = await run(block.text);
  t.equal(result.code, 0, result.err);
  const [, ...rows] = readFileSync(join(dir, "march.csv"), "utf8").trimEnd().split("\n");
  t.strictSame(
    rows.map((row) => row.split(",")[1]),
    ["e-1", "e-2"],
  );
});

t.test("the guide - names every field, and every key of a map", async (t) => {
  for (const field of FIELDS) t.match(GUIDE, `\`${field}\``);
  const keys = ["columns", "constants", "values"];
  const parts = { amount: ["scale", "decimal", "group"], time: ["zone", "format", "disambiguation"] };
  const csv = ["delimiter", "quote", "encoding", "header", "trim"];
  for (const [part, names] of Object.entries({ ...parts, csv }))
    keys.push(...names.map((name) => `${part}.${name}`));
  for (const key of keys) t.match(GUIDE, `| \`${key}\` |`);
});
