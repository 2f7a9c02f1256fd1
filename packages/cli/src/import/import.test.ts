import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import { type Pipeline, startPipeline } from "#test-support";
import { command } from "../test-command.ts";
import { FileLock } from "./file-lock.ts";
import {
  commandProcess,
  event,
  jsonl,
  startCommand,
  startOrganisation,
  stored,
  untilDone,
} from "./test-import.ts";

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());
const organisation = (t: Test) => startOrganisation(t, pipeline);

t.test("import - the events of a JSON file are applied in order, and counted", async (t) => {
  const { publisher, ids, access, write } = await organisation(t);
  const [ada] = ids;
  const file = write(
    "a.jsonl",
    jsonl([
      event(ada, 1),
      event(ada, 2),
      event(ada, 1, { cleared_at: "2026-03-02T10:00:00Z", amount: 1300 }),
      event(ada, 1),
      event(ada, 2, { reverted_at: "2026-03-02T10:00:00Z" }),
    ]),
  );
  const { code, out, err } = await command(["import", file, ...access]);
  const sum = "5 rows: 2 created, 2 updated, 1 unchanged, 0 rejected\n";
  t.equal(out, `${sum}           1  differ from what is stored in fields that were not taken\n`, err);
  t.equal(code, 0);
  t.strictSame(
    [...(await stored(pipeline, publisher))].map((row) => ({ ...row })),
    [
      { externalId: "tx-000001", state: "cleared", amount: 1300 },
      { externalId: "tx-000002", state: "reverted", amount: 1250 },
    ],
  );
});

const MAP = {
  columns: {
    external_id: "Ref",
    member_ref: "Customer",
    auth_code: "Auth",
    network: "Scheme",
    bin: "Bin",
    merchant_id: "Mid",
    amount: "Amount",
    authed_at: "Time",
  },
  constants: { currency: "EUR" },
  values: { network: { VI: "visa", "*": "other" } },
  amount: { scale: 2 },
  time: { zone: "Europe/Berlin" },
};
const ROWS = [
  {
    Ref: "r-1",
    Customer: "ada",
    Auth: "A1",
    Scheme: "VI",
    Bin: "411111",
    Mid: "M1",
    Amount: "12.50",
    Time: "2026-03-01 11:00:00",
  },
  {
    Ref: "r-2",
    Customer: "eve",
    Auth: "A2",
    Scheme: "XX",
    Bin: "411111",
    Mid: "M1",
    Amount: "0.05",
    Time: "2026-07-01 11:00:00",
  },
];
const CSV = `${Object.keys(ROWS[0] as object).join(",")}\n${ROWS.map((row) => Object.values(row).join(",")).join("\n")}\n`;
const FILES: ReadonlyArray<readonly [name: string, content: string | Buffer]> = [
  ["a.csv", CSV],
  ["a.csv.gz", gzipSync(CSV)],
  ["a.tsv", CSV.replaceAll(",", "\t")],
  ["a.ndjson", jsonl(ROWS)],
  ["a.jsonl.gz", gzipSync(jsonl(ROWS))],
];
for (const [name, content] of FILES) {
  t.test(
    `import - ${name} by a map: members by their ref, amounts and times in the API's form`,
    async (t) => {
      const { publisher, client, ids, memberbase, access, write } = await organisation(t);
      const options = ["--map", write("map.json", JSON.stringify(MAP)), "--member-base", memberbase];
      const { code, out, err } = await command(["import", write(name, content), ...options, ...access]);
      t.equal(
        out,
        "2 rows: 2 created, 0 updated, 0 unchanged, 0 rejected\n           1  members made\n",
        err,
      );
      t.equal(code, 0);
      const first = (await client.post("transaction/get", { external_id: "r-1" })).body;
      t.match(first, {
        member_id: ids[0],
        amount: 1250,
        currency: "EUR",
        network: "visa",
        authed_at: "2026-03-01T10:00:00.000Z",
      });
      const second = (await client.post("transaction/get", { external_id: "r-2" })).body;
      const eve = (await client.post("member/get", { member_base_id: memberbase, ref: "eve" })).body;
      t.match(
        second,
        { member_id: eve.id, amount: 5, network: "other", authed_at: "2026-07-01T09:00:00.000Z" },
        "made",
      );
      t.equal((await stored(pipeline, publisher)).length, 2);
    },
  );
}

t.test(
  "import - fields that differ from the stored values are ignored, counted, and written to a file",
  async (t) => {
    const { ids, access, write, dir } = await organisation(t);
    const [ada] = ids;
    const many = Array.from({ length: 250 }, (_, i) => event(ada, i));
    await command(["import", write("first.jsonl", jsonl(many)), ...access]);
    const again = write("again.jsonl", jsonl(many.map((one) => ({ ...one, amount: 9999 }))));
    const ignored = join(dir, "ignored.jsonl");
    const { code, out, err } = await command(["import", again, "--ignored", ignored, ...access]);
    t.equal(
      out,
      "250 rows: 0 created, 0 updated, 250 unchanged, 0 rejected\n" +
        "         250  differ from what is stored in fields that were not taken\n",
      err,
    );
    t.equal(code, 0);
    const lines = readFileSync(ignored, "utf8").trimEnd().split("\n");
    t.strictSame(
      lines.map((line) => JSON.parse(line).line),
      many.map((_, i) => i + 1),
      "all of them, not just the first hundred of a request",
    );
    t.match(JSON.parse(lines[0] as string), { line: 1, row: { amount: 9999 }, ignored: ["amount"] });

    const late = await command(["import", again, "--async", "--ignored", ignored, ...access]);
    t.match(
      late.out,
      /^250 rows: 250 applied, 0 rejected\n +250 {2}differ .* \(the service did not name (50|150) of them\)\n$/,
    );
  },
);

t.test("import - a misspelt ref makes a member, which is reported, or is rejected", async (t) => {
  const { client, memberbase, access, write, ids } = await organisation(t);
  const row = (ref: string, i: number) => ({ ...event("", i), member_id: undefined, member_ref: ref });
  const file = write("a.jsonl", jsonl([row("ada", 1), row("adda", 2), row("adda", 3), row("bob", 4)]));
  const map = write("map.json", "{}");
  const options = ["import", file, "--map", map, "--member-base", memberbase, ...access];
  const strict = await command([...options, "--members", "existing"]);
  t.equal(
    strict.out,
    "4 rows: 2 created, 0 updated, 0 unchanged, 2 rejected\n" +
      "           2  not_found: member_ref: no member has this ref (first line 2)\n",
    strict.err,
  );
  t.equal(strict.code, 2);
  const members = () => client.post("member/list", { member_base_id: memberbase });
  t.equal((await members()).body.data.length, ids.length, "no member was made");
  const made = await command(options);
  t.equal(
    made.out,
    "4 rows: 2 created, 0 updated, 2 unchanged, 0 rejected\n           1  members made\n",
    made.err,
  );
});

t.test("import - standard input, plain and in gzip", async (t) => {
  const { publisher, ids, access } = await organisation(t);
  const [ada] = ids;
  const options = ["import", "-", "--format", "jsonl", ...access];
  const plain = await commandProcess(t, options, { stdin: Readable.from([jsonl([event(ada, 1)])]) });
  const packed = await commandProcess(t, options, {
    stdin: Readable.from([gzipSync(jsonl([event(ada, 1), event(ada, 2)]))]),
  });
  t.strictSame(
    [plain.out, packed.out],
    [
      "1 rows: 1 created, 0 updated, 0 unchanged, 0 rejected\n",
      "2 rows: 1 created, 0 updated, 1 unchanged, 0 rejected\n",
    ],
  );
  t.equal((await stored(pipeline, publisher)).length, 2);
});

t.test("import - Ctrl-C ends an import of a silent standard input", async (t) => {
  const { publisher, ids, access, dir } = await organisation(t);
  const stdin = new PassThrough();
  stdin.write(jsonl([event(ids[0], 1), event(ids[0], 2)]));
  const checkpoint = join(dir, "pipe.checkpoint");
  const options = ["import", "-", "--format", "jsonl", "--checkpoint", checkpoint, ...access];
  // The import reads the first 64 KiB for the identity.
  stdin.write(" ".repeat(65_536));
  const running = startCommand(t, options, { stdin });
  await untilDone(checkpoint, 2);
  running.child.kill("SIGINT");
  t.equal(await running.ended, 130, running.err());
  t.equal((await stored(pipeline, publisher)).length, 2);
});

t.test("import - a file that cannot be read to its end is applied up to the fault", async (t) => {
  const { publisher, ids, access, write } = await organisation(t);
  const columns = Object.keys(event(ids[0], 0));
  const rows = Array.from({ length: 800 }, (_, i) => Object.values(event(ids[0], i)).join(","));
  const file = write("a.csv", `${columns.join(",")}\n${rows.join("\n")}\nm_1,"tx"x,A1\n`);
  const { code, err } = await command(["import", file, ...access]);
  t.equal(code, 1);
  t.match(err, /a\.csv: line 802, column "external_id": a quote within a quoted value must be doubled/);
  t.match(err, "(800 rows are done)");
  t.equal(JSON.parse(readFileSync(`${file}.checkpoint`, "utf8")).is_complete, false);
  t.equal((await stored(pipeline, publisher)).length, 800);
});

t.test("import - a changed file, map or option is not resumed", async (t) => {
  const { ids, access, write, memberbase } = await organisation(t);
  const text = jsonl([event(ids[0], 1), event(ids[0], 2), event(ids[0], 3)]);
  const file = write("a.jsonl", text);
  const done = await command(["import", file, ...access]);
  t.equal(done.code, 0, done.err);
  const resume = (...more: string[]) => command(["import", file, "--resume", ...access, ...more]);
  write("a.jsonl", text.replace("tx-000001", "tx-999999"));
  t.match(await resume(), { code: 1, err: /a\.jsonl has changed\. To start over, import without --resume/ });
  write("a.jsonl", text.slice(0, -10));
  t.match(await resume(), { code: 1, err: /a\.jsonl had \d+ bytes, and has \d+ now/ });
  write("a.jsonl", text);
  t.match(await resume("--map", write("map.json", "{}")), { code: 1, err: /the map is another one/ });
  t.match(await resume("--member-base", memberbase), { code: 1, err: /it is of --member-base \(none\)/ });
  t.match(await resume("--rejects", write("r", "")), { code: 1, err: /it is of --rejects \(none\)/ });
  t.match(await resume(), { code: 0, out: /^this import was complete at .*\n3 rows: 3 created, / });
});

t.test(
  "import - of two imports of one file at once the second is refused, before it does anything",
  async (t) => {
    const { publisher, ids, access, write } = await organisation(t);
    const file = write("a.jsonl", jsonl([event(ids[0], 1)]));
    const first = await FileLock.take(`${file}.checkpoint`);
    for (const time of ["second", "third"]) {
      const refused = await command(["import", file, ...access]);
      t.match(refused, { code: 1, err: /another import writes .*a\.jsonl\.checkpoint \(process / }, time);
    }
    t.throws(() => readFileSync(`${file}.checkpoint`), { code: "ENOENT" });
    t.strictSame(await stored(pipeline, publisher), []);
    await first.release();
    t.match(await command(["import", file, ...access]), { code: 0, out: /^1 rows: 1 created, / });
  },
);

t.test("import - a wrong token or memberbase ends it, with the service's message", async (t) => {
  const { ids, access, write } = await organisation(t);
  const file = write("a.jsonl", jsonl([event(ids[0], 1)]));
  const url = access.slice(0, 2);
  const wrong = await command(["import", file, ...url, "--token-file", write("wrong", "stp_live_x")]);
  t.match(wrong, {
    code: 1,
    out: "",
    err: /^stampede: the request failed: .*\(authentication_error, trace id/,
  });
  const { member_id: _, ...nameless } = event(ids[0], 1);
  const byRef = write("b.jsonl", jsonl([{ ...nameless, member_ref: "ada" }]));
  const lost = await command(["import", byRef, "--member-base", "mb_unknown", ...access]);
  t.match(lost, { code: 1, out: "", err: /^stampede: the request failed: .*\(not_found, trace id/ });
});

for (const flags of [[], ["--async"]]) {
  t.test(
    `import - rejected rows have their line, code and reason, and exit code 2 ${flags.join()}`,
    async (t) => {
      const { ids, access, write, dir } = await organisation(t);
      const [ada, bob] = ids;
      const rows = [
        event(ada, 1),
        event(ada, 2, { bin: "4111" }),
        event(bob, 1),
        event(ada, 3, { cleared_at: "2026-03-02T10:00:00Z" }),
        event(ada, 3, { reverted_at: "2026-03-03T10:00:00Z" }),
        event("m_unknown", 4),
      ];
      const file = write("a.jsonl", `${jsonl(rows.slice(0, 3))}{"torn":\n${jsonl(rows.slice(3))}`);
      const rejects = join(dir, "rejects.jsonl");
      const { code, out } = await command(["import", file, "--rejects", rejects, ...flags, ...access]);
      t.equal(code, 2);
      const taken = flags.length === 0 ? "2 created, 0 updated, 0 unchanged" : "2 applied";
      t.match(out, `7 rows: ${taken}, 5 rejected\n`);
      t.match(out, "           1  conflict: identity_mismatch (line 3)\n");
      const lines = readFileSync(rejects, "utf8").trimEnd().split("\n");
      t.strictSame(
        lines.map((line) => JSON.parse(line)),
        [
          { line: 2, row: rows[1], code: "bad_request", reason: "bin must match ^[0-9]{6,8}$" },
          { line: 3, row: rows[2], code: "conflict", reason: "identity_mismatch", field: "member_id" },
          { line: 4, row: '{"torn":', code: "unreadable", reason: "is not JSON" },
          {
            line: 6,
            row: rows[4],
            code: "conflict",
            reason: "invalid_transition",
            from: "cleared",
            to: "reverted",
          },
          { line: 7, row: rows[5], code: "not_found", reason: "not_found" },
        ],
      );
    },
  );
}

t.test("import - with --async, rejections that the service did not keep are reported", async (t) => {
  const { ids, access, write } = await organisation(t);
  // The service keeps 1,000 of a minute; these take two minutes at most.
  const rows = Array.from({ length: 2_600 }, (_, i) => event("m_unknown", i));
  const { code, out } = await command(["import", write("a.jsonl", jsonl(rows)), "--async", ...access]);
  t.equal(code, 2);
  const count = (words: string) =>
    Number(new RegExp(`([\\d,]+) ${words}`).exec(out)?.[1]?.replaceAll(",", "") ?? 0);
  t.ok(count("rejected") >= 1_000 && count("applied") > 0, out);
  t.equal(count(" of the applied may have been rejected"), count("applied"), out);
  // Those of before are not reported again.
  const good = write("b.jsonl", jsonl([event(ids[0], 9_000)]));
  t.strictSame(await command(["import", good, "--async", ...access]), {
    code: 0,
    out: "1 rows: 1 applied, 0 rejected\n",
    err: "",
  });
});

t.test(
  "import - a dry run names the rows that would be rejected, needs no token, and sends nothing",
  async (t) => {
    const { publisher, ids, write, dir } = await organisation(t);
    const file = write("a.jsonl", jsonl([event(ids[0], 1), event(ids[0], 2, { network: "VISA" })]));
    const rejects = join(dir, "rejects.jsonl");
    const { code, out } = await command(["import", file, "--dry-run", "--rejects", rejects]);
    t.equal(code, 2);
    t.match(out, "2 rows: 1 valid, 1 rejected\n");
    t.match(JSON.parse(readFileSync(rejects, "utf8")), { line: 2, reason: /^network must be one of visa/ });
    t.equal((await stored(pipeline, publisher)).length, 0);
    t.throws(() => readFileSync(`${file}.checkpoint`), { code: "ENOENT" });
  },
);
