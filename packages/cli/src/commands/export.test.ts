import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import t, { type Test } from "tap";
import {
  AUTHED_AT,
  makeEvent,
  type Pipeline,
  PublisherClient,
  serveHttp,
  startPipeline,
} from "#test-support";
import { commandProcess, startCommand } from "../import/test-import.ts";
import { command } from "../test-command.ts";

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());

/** An organisation with these transactions. */
async function organisation(t: Test, changes: readonly object[]) {
  const publisher = await pipeline.newPublisher();
  const client = new PublisherClient(pipeline.edge.url, publisher.token);
  const [ada] = (await client.enrol("ada")) as [string];
  const events = changes.map((change) => makeEvent(ada, change));
  for (let i = 0; i < events.length; i += 1000) {
    t.equal((await client.ingest(events.slice(i, i + 1000))).status, 200);
  }
  const dir = t.testdir({ token: publisher.token });
  const access = ["--url", pipeline.edge.url as string, "--token-file", join(dir, "token")];
  return { ada, events, dir, access, publisher };
}

const ODD = { statement_descriptor: 'COFFEE, "CORNER"', amount: 1250, currency: "EUR" };
const CHANGES = [
  { external_id: "a-1" },
  { external_id: "a-2", ...ODD, cleared_at: "2026-03-02T10:00:00.5Z" },
  { external_id: "a-3", reverted_at: "2026-03-03T10:00:00Z" },
];

t.test("export - a service that does not run is reported within seconds", async (t) => {
  const dir = t.testdir({ token: "stp_live_x" });
  const { code, err } = await command([
    ...["export", "--url", "http://127.0.0.1:1", "--token-file", join(dir, "token")],
  ]);
  t.equal(code, 1);
  t.match(err, /no answer from the service: connect ECONNREFUSED/);
});

t.test("export - a reader that goes away ends it without a message", async (t) => {
  const { access } = await organisation(
    t,
    Array.from({ length: 3000 }, (_, i) => ({ external_id: `p-${i}` })),
  );
  const running = startCommand(t, ["export", ...access]);
  running.child.stdout?.destroy();
  t.equal(await running.ended, 141, running.err());
  t.notMatch(running.err(), "EPIPE");
});

t.test("export - a pipe is written to, and a link still leads to its file", async (t) => {
  const { access, dir } = await organisation(t, CHANGES);
  const pipe = join(dir, "pipe");
  t.equal(spawnSync("mkfifo", [pipe]).status, 0);
  const reading = readFile(pipe, "utf8");
  t.match(await command(["export", "--out", pipe, ...access]), { code: 0 });
  t.equal((await reading).trimEnd().split("\n").length, 3);
  t.ok(statSync(pipe).isFIFO());
  writeFileSync(join(dir, "real.jsonl"), "old");
  symlinkSync("real.jsonl", join(dir, "link.jsonl"));
  t.match(await command(["export", "--out", join(dir, "link.jsonl"), ...access]), { code: 0 });
  t.ok(lstatSync(join(dir, "link.jsonl")).isSymbolicLink());
  t.equal(readFileSync(join(dir, "real.jsonl"), "utf8").trimEnd().split("\n").length, 3);
});

t.test("export - JSON lines have the stored fields of events, and no card data", async (t) => {
  const { ada, access } = await organisation(t, CHANGES);
  const { code, out, err } = await command(["export", ...access]);
  t.equal(code, 0, err);
  t.match(err, "3 transactions\n");
  const common = {
    member_id: ada,
    network: "visa",
    merchant_id: "MID-1",
    authed_at: new Date(AUTHED_AT).toISOString(),
  };
  t.strictSame(
    out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [
      { ...common, external_id: "a-1" },
      { ...common, external_id: "a-2", ...ODD, cleared_at: "2026-03-02T10:00:00.500Z" },
      { ...common, external_id: "a-3", reverted_at: "2026-03-03T10:00:00.000Z" },
    ],
  );
});

t.test("export - import takes the rows once the card data is joined", async (t) => {
  const { access, dir, publisher } = await organisation(t, CHANGES);
  for (const format of ["csv", "jsonl"]) {
    const file = join(dir, `out.${format}`);
    t.match(await command(["export", "--out", file, ...access]), { code: 0 });
    // The bank's own card data; here all cards are one.
    const map = { constants: { auth_code: "A1B2C3", bin: "411111" } };
    writeFileSync(join(dir, "map.json"), JSON.stringify(map));
    const imported = await command(["import", file, "--map", join(dir, "map.json"), ...access]);
    t.match(imported, { code: 0, out: "3 rows: 0 created, 0 updated, 3 unchanged, 0 rejected\n" }, format);
  }
  const [{ count }] = (await pipeline.store`
    select count(*)::int as count from transactions where organisation_id = ${publisher.organisationId}`) as unknown as [
    { count: number },
  ];
  t.equal(count, 3);
});

t.test("export - all pages go into one file, in gzip if its name says so", async (t) => {
  const many = Array.from({ length: 2500 }, (_, i) => ({ external_id: `b-${String(i).padStart(5, "0")}` }));
  const { access, dir } = await organisation(t, many);
  const file = join(dir, "out.csv.gz");
  const { code, err } = await command(["export", "--out", file, ...access]);
  t.equal(code, 0, err);
  t.match(err, `2,500 transactions in ${file}`);
  const [header, ...rows] = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  t.equal(
    header,
    "member_id,external_id,network,merchant_id,statement_descriptor,amount,currency,authed_at,cleared_at,reverted_at",
  );
  t.strictSame(
    rows.map((row) => row.split(",")[1]),
    many.map((one) => one.external_id),
  );
  t.notOk(readdirSync(dir).some((name) => name.endsWith(".part")));
});

/** An API that gives one page and hangs at the second. */
async function halfAnApi(t: Test) {
  let asked = 0;
  return serveHttp(t, (request, response) => {
    request.resume();
    asked++;
    if (asked > 1) return;
    const row = { external_id: "c-1", member_id: "m_1", authed_at: "2026-03-01T10:00:00Z" };
    const data = Array.from({ length: 1000 }, () => row);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data, page: { page_size: 1000, cursor: "next", more: true } }));
  });
}

t.test("export - an export that does not finish leaves the previous file, and nothing else", async (t) => {
  const dir = t.testdir({ token: "token", "out.jsonl": "before" });
  const { url, server } = await halfAnApi(t);
  const file = join(dir, "out.jsonl");
  const options = ["export", "--out", file, "--url", url, "--token-file", join(dir, "token")];
  const running = startCommand(t, options);
  await once(server, "request");
  await once(server, "request");
  running.child.kill("SIGINT");
  t.equal(await running.ended, 130, running.err());
  t.match(running.err(), `stopped: ${file} is not written`);
  t.equal(readFileSync(file, "utf8"), "before");
  t.strictSame(readdirSync(dir).sort(), ["out.jsonl", "token"]);
});

t.test("export - a wrong option is reported on one line", async (t) => {
  const { access, dir } = await organisation(t, []);
  // Commander ends the process for a malformed option.
  for (const [wrong, err] of [
    [["--since", "yesterday"], /It is a day such as 2026-03-01, or a time with an offset/],
    [["--format", "xml"], /Allowed choices are jsonl, csv/],
  ] as const) {
    t.match(await commandProcess(t, ["export", ...wrong, ...access]), { code: 1, out: /^$/, err });
  }
  for (const [wrong, err] of [
    [["--since", "2026-03-02", "--until", "2026-03-01"], /--since is not before --until/],
    [["--out", join(dir, "none", "a.csv")], /cannot write .*a\.csv \(ENOENT, no such file or folder\)/],
  ] as const) {
    t.match(await command(["export", ...wrong, ...access]), { code: 1, out: /^$/, err });
  }
});
