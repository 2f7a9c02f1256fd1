import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import t, { type Test } from "tap";
import {
  type Pipeline,
  type Publisher,
  PublisherClient,
  startPipeline,
  startTcpProxy,
  waitFor,
} from "#test-support";
import { command, type RunningCommand, startCommand } from "./test-import.ts";

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());

/** An organisation with two members, and the options that every command of it has. */
async function organisation(t: Test) {
  const publisher = await pipeline.newPublisher();
  const client = new PublisherClient(pipeline.edge.url, publisher.token);
  const memberbase = (await client.post("member-base/create", { name: "bank" })).body.id as string;
  const members = [{ ref: "ada" }, { ref: "bob" }];
  const ids = (await client.post("member/bulk-upsert", { member_base_id: memberbase, members }))
    .body as string[];
  const dir = t.testdir({ token: publisher.token });
  const access = ["--url", pipeline.edge.url as string, "--token-file", join(dir, "token")];
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  return { publisher, client, memberbase, ids: ids as [string, string], dir, access, write };
}

const event = (member: string, i: number, changes: object = {}) => ({
  member_id: member,
  external_id: `tx-${String(i).padStart(6, "0")}`,
  auth_code: "A1B2C3",
  network: "visa",
  bin: "411111",
  merchant_id: "MID-1",
  amount: 1250,
  currency: "EUR",
  authed_at: "2026-03-01T10:00:00Z",
  ...changes,
});
const jsonl = (events: readonly object[]) => events.map((one) => `${JSON.stringify(one)}\n`).join("");

async function stored({ organisationId }: Publisher) {
  return await pipeline.store<{ externalId: string; state: string; amount: number | null }[]>`
    select external_id as "externalId", state, amount::float8 as amount from transactions
    where organisation_id = ${organisationId} order by external_id`;
}

t.test("import - a JSON file of events, in its order, is applied and counted", async (t) => {
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
  const { code, out, err } = await command(t, ["import", file, ...access]);
  t.equal(out, "5 rows: 2 created, 2 updated, 1 unchanged, 0 rejected\n", err);
  t.equal(code, 0);
  t.strictSame(
    [...(await stored(publisher))].map((row) => ({ ...row })),
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
const PARQUET = Buffer.from(
  parquetWriteBuffer({
    columnData: Object.keys(ROWS[0] as object).map((name) => ({
      name,
      data: ROWS.map((row) => row[name as keyof (typeof ROWS)[0]]),
      type: "STRING" as const,
    })),
  }),
);
const FILES: ReadonlyArray<readonly [name: string, content: string | Buffer]> = [
  ["a.csv", CSV],
  ["a.csv.gz", gzipSync(CSV)],
  ["a.tsv", CSV.replaceAll(",", "\t")],
  ["a.ndjson", jsonl(ROWS)],
  ["a.jsonl.gz", gzipSync(jsonl(ROWS))],
  ["a.parquet", PARQUET],
];
for (const [name, content] of FILES) {
  t.test(
    `import - ${name} by a map: members by their ref, amounts and times as the API wants them`,
    async (t) => {
      const { publisher, client, ids, memberbase, access, write } = await organisation(t);
      const options = ["--map", write("map.json", JSON.stringify(MAP)), "--member-base", memberbase];
      const { code, out, err } = await command(t, ["import", write(name, content), ...options, ...access]);
      t.equal(out, "2 rows: 2 created, 0 updated, 0 unchanged, 0 rejected\n", err);
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
      t.equal((await stored(publisher)).length, 2);
    },
  );
}

t.test("import - standard input, as it is and in gzip", async (t) => {
  const { publisher, ids, access } = await organisation(t);
  const [ada] = ids;
  const options = ["import", "-", "--format", "jsonl", ...access];
  const plain = await command(t, options, { stdin: Readable.from([jsonl([event(ada, 1)])]) });
  const packed = await command(t, options, {
    stdin: Readable.from([gzipSync(jsonl([event(ada, 1), event(ada, 2)]))]),
  });
  t.strictSame(
    [plain.out, packed.out],
    [
      "1 rows: 1 created, 0 updated, 0 unchanged, 0 rejected\n",
      "2 rows: 1 created, 0 updated, 1 unchanged, 0 rejected\n",
    ],
  );
  t.equal((await stored(publisher)).length, 2);
});

t.test("import - Ctrl-C ends one whose standard input is silent", async (t) => {
  const { publisher, ids, access, dir } = await organisation(t);
  const stdin = new PassThrough();
  stdin.write(jsonl([event(ids[0], 1), event(ids[0], 2)]));
  const checkpoint = join(dir, "pipe.checkpoint");
  const options = ["import", "-", "--format", "jsonl", "--checkpoint", checkpoint, ...access];
  // What it is known by is read first.
  stdin.write(" ".repeat(65_536));
  const running = startCommand(t, options, { stdin });
  await untilDone(checkpoint, 2);
  running.child.kill("SIGINT");
  t.equal(await running.ended, 130, running.err());
  t.equal((await stored(publisher)).length, 2);
});

t.test("import - a file that cannot be read to its end is applied up to there", async (t) => {
  const { publisher, ids, access, write } = await organisation(t);
  const columns = Object.keys(event(ids[0], 0));
  const rows = Array.from({ length: 800 }, (_, i) => Object.values(event(ids[0], i)).join(","));
  const file = write("a.csv", `${columns.join(",")}\n${rows.join("\n")}\nm_1,"tx"x,A1\n`);
  const { code, err } = await command(t, ["import", file, ...access]);
  t.equal(code, 1);
  t.match(err, /a\.csv: line 802, column "external_id": a quote within a quoted value must be doubled/);
  t.match(err, "(800 rows are done)");
  t.equal((await stored(publisher)).length, 800);
});

t.test("import - a token or a memberbase that is none ends it, with the service's own words", async (t) => {
  const { ids, access, write } = await organisation(t);
  const file = write("a.jsonl", jsonl([event(ids[0], 1)]));
  const url = access.slice(0, 2);
  const wrong = await command(t, ["import", file, ...url, "--token-file", write("wrong", "stp_live_x")]);
  t.match(wrong, {
    code: 1,
    out: "",
    err: /^stampede: the service did not do it: .*\(authentication_error, trace id/,
  });
  const { member_id: _, ...nameless } = event(ids[0], 1);
  const byRef = write("b.jsonl", jsonl([{ ...nameless, member_ref: "ada" }]));
  const lost = await command(t, ["import", byRef, "--member-base", "mb_unknown", ...access]);
  t.match(lost, { code: 1, out: "", err: /^stampede: the service did not do it: .*\(not_found, trace id/ });
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
      const { code, out } = await command(t, ["import", file, "--rejects", rejects, ...flags, ...access]);
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

t.test("import - a dry run says what would be rejected, needs no token, and sends nothing", async (t) => {
  const { publisher, ids, write, dir } = await organisation(t);
  const file = write("a.jsonl", jsonl([event(ids[0], 1), event(ids[0], 2, { network: "VISA" })]));
  const rejects = join(dir, "rejects.jsonl");
  const { code, out } = await command(t, ["import", file, "--dry-run", "--rejects", rejects]);
  t.equal(code, 2);
  t.match(out, "2 rows: 1 valid, 1 rejected\n");
  t.match(JSON.parse(readFileSync(rejects, "utf8")), { line: 2, reason: /^network must be one of visa/ });
  t.equal((await stored(publisher)).length, 0);
  t.throws(() => readFileSync(`${file}.checkpoint`), { code: "ENOENT" });
});

/** Each step of a purchase in a row of its own, and all first steps before all second ones. */
function steps(member: string, purchases: number): object[] {
  const numbers = Array.from({ length: purchases }, (_, i) => i);
  return [
    ...numbers.map((i) => event(member, i)),
    ...numbers.map((i) => event(member, i, { cleared_at: "2026-03-02T10:00:00Z" })),
  ];
}

/** Waits until a checkpoint says that so many rows are done. */
async function untilDone(checkpoint: string, rows: number): Promise<void> {
  await waitFor(() => JSON.parse(readFileSync(checkpoint, "utf8")).rows >= rows, {
    message: `${rows} rows are done`,
    deadlineMs: 60_000,
  });
}

const PURCHASES = 1500;
const ROWS_OF_STEPS = 2 * PURCHASES;

async function allCleared(t: Test, publisher: Publisher) {
  const rows = await stored(publisher);
  t.equal(rows.length, PURCHASES, "nothing is missing, nothing is there twice");
  t.ok(rows.every(({ state }) => state === "cleared"));
}

t.test("import - Ctrl-C in the middle ends it in order, and --resume goes on where it was", async (t) => {
  const { publisher, ids, access, write } = await organisation(t);
  const file = write("a.jsonl", jsonl(steps(ids[0], PURCHASES)));
  const first = startCommand(t, ["import", file, "--rate", "1000", ...access]);
  await untilDone(`${file}.checkpoint`, 300);
  first.child.kill("SIGINT");
  t.equal(await first.ended, 130, first.err());
  t.match(first.err(), "stopped: the same command with --resume goes on where it was");
  const checkpoint = JSON.parse(readFileSync(`${file}.checkpoint`, "utf8"));
  t.ok(checkpoint.rows >= 300 && checkpoint.rows < ROWS_OF_STEPS);
  const { code, out } = await command(t, ["import", file, "--resume", ...access]);
  t.equal(code, 0);
  // What was on its way was waited for, so not one row was sent twice.
  t.equal(out, `3,000 rows: 1,500 created, 1,500 updated, 0 unchanged, 0 rejected\n`);
  await allCleared(t, publisher);
  const again = await command(t, ["import", file, "--resume", ...access]);
  t.match(again, { code: 0, out, err: /this import is complete/ });
});

t.test("import - killed in the middle, --resume leaves no row out and counts each once", async (t) => {
  const { publisher, ids, access, write, dir } = await organisation(t);
  const rows = steps(ids[0], PURCHASES).flatMap((row, i) => (i % 100 === 0 ? [row, event("m_x", i)] : [row]));
  const file = write("a.jsonl", jsonl(rows));
  const rejects = join(dir, "rejects.jsonl");
  const options = ["import", file, "--rejects", rejects, ...access];
  let resume: string[] = [];
  for (const done of [200, 900, 1700]) {
    const running = startCommand(t, [...options, ...resume, "--rate", "1500"]);
    await untilDone(`${file}.checkpoint`, done);
    running.child.kill("SIGKILL");
    await running.ended;
    resume = ["--resume"];
  }
  const { code, out, err } = await command(t, [...options, "--resume"]);
  t.equal(code, 2, err);
  const [, created, updated, unchanged] =
    /^3,030 rows: ([\d,]+) created, ([\d,]+) updated, ([\d,]+) unchanged, 30 rejected\n/
      .exec(out)
      ?.map((text) => Number(text.replaceAll(",", ""))) ?? [];
  t.equal((created ?? 0) + (updated ?? 0) + (unchanged ?? 0), ROWS_OF_STEPS, out);
  await allCleared(t, publisher);
  const lines = readFileSync(rejects, "utf8").trimEnd().split("\n");
  const rejected = lines.map((line) => JSON.parse(line).row.external_id as string);
  t.strictSame(
    rejected,
    rows
      .filter((row) => (row as { member_id: string }).member_id === "m_x")
      .map((row) => (row as { external_id: string }).external_id),
  );
});

t.test("import - a file or a map that has changed is not gone on with", async (t) => {
  const { ids, access, write, memberbase } = await organisation(t);
  const text = jsonl(steps(ids[0], PURCHASES));
  const file = write("a.jsonl", text);
  const first = startCommand(t, ["import", file, "--rate", "1000", ...access]);
  await untilDone(`${file}.checkpoint`, 100);
  first.child.kill("SIGKILL");
  await first.ended;
  const resume = (...more: string[]) => command(t, ["import", file, "--resume", ...access, ...more]);
  write("a.jsonl", text.replace("tx-000000", "tx-999999"));
  t.match(await resume(), { code: 1, err: /a\.jsonl has changed\. Import without --resume to begin again/ });
  write("a.jsonl", text.slice(0, -10));
  t.match(await resume(), { code: 1, err: /a\.jsonl had \d+ bytes, and has \d+ now/ });
  write("a.jsonl", text);
  t.match(await resume("--map", write("map.json", "{}")), { code: 1, err: /the map is another one/ });
  t.match(await resume("--member-base", memberbase), { code: 1, err: /it is of --member-base \(none\)/ });
  t.match(await resume("--rejects", write("r", "")), { code: 1, err: /it is of --rejects \(none\)/ });
  t.match(await resume(), { code: 0, out: /^3,000 rows: / });
});

t.test("import - several files are one import, with one checkpoint", async (t) => {
  const { publisher, ids, access, write } = await organisation(t);
  const all = steps(ids[0], PURCHASES);
  const files = [0, 1, 2].map((i) => write(`${i}.jsonl`, jsonl(all.slice(i * 1000, (i + 1) * 1000))));
  const first = startCommand(t, ["import", ...files, "--rate", "2000", ...access]);
  await waitFor(() => JSON.parse(readFileSync(`${files[0]}.checkpoint`, "utf8")).input === 1, {
    message: "the second file is read",
    deadlineMs: 60_000,
  });
  first.child.kill("SIGINT");
  t.equal(await first.ended, 130);
  const { code, out } = await command(t, ["import", ...files, "--resume", ...access]);
  t.strictSame([code, out], [0, "3,000 rows: 1,500 created, 1,500 updated, 0 unchanged, 0 rejected\n"]);
  await allCleared(t, publisher);
});

/** An API of its own, which can be killed and come back at the same address. */
async function killableApi(t: Test) {
  let edge = await pipeline.start("edge");
  const target = { host: "127.0.0.1", port: Number(new URL(edge.url as string).port) };
  const proxy = await startTcpProxy(target);
  t.teardown(() => proxy.close());
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    kill: async () => {
      await edge.kill();
      proxy.refuse();
    },
    back: async () => {
      edge = await pipeline.start("edge");
      target.port = Number(new URL(edge.url as string).port);
      proxy.thaw();
    },
  };
}

async function endsWell(t: Test, running: RunningCommand, publisher: Publisher) {
  t.equal(await running.ended, 0, running.err());
  t.match(running.out(), /^3,000 rows: .* 0 rejected\n$/);
  await allCleared(t, publisher);
}

t.test("import - the API killed under it: it waits, and goes on when it is back", async (t) => {
  const { publisher, ids, write, dir } = await organisation(t);
  const file = write("a.jsonl", jsonl(steps(ids[0], PURCHASES)));
  const api = await killableApi(t);
  const options = ["import", file, "--url", api.url, "--token-file", join(dir, "token")];
  const running = startCommand(t, [...options, "--rate", "1500"]);
  await untilDone(`${file}.checkpoint`, 300);
  await api.kill();
  await api.back();
  await endsWell(t, running, publisher);
});

t.test("import - the API stays away: --resume goes on, when it is back", async (t) => {
  const { publisher, ids, write, dir } = await organisation(t);
  const file = write("a.jsonl", jsonl(steps(ids[0], PURCHASES)));
  const api = await killableApi(t);
  const options = ["import", file, "--url", api.url, "--token-file", join(dir, "token")];
  const running = startCommand(t, [...options, "--rate", "1500"]);
  await untilDone(`${file}.checkpoint`, 300);
  await api.kill();
  // What is on its way cannot be waited for now: a second Ctrl-C ends it at once.
  const isOver = () => running.child.signalCode !== null || !running.child.kill("SIGINT");
  await waitFor(isOver, { message: "it ends" });
  await running.ended;
  await api.back();
  await endsWell(t, startCommand(t, [...options, "--resume"]), publisher);
});

t.test("import - ingest killed under it: what is answered 202 is asked for until it is known", async (t) => {
  const { publisher, ids, access, write, dir } = await organisation(t);
  const rows = steps(ids[0], PURCHASES);
  const file = write("a.jsonl", jsonl([...rows, event(ids[1], 1)]));
  const rejects = join(dir, "rejects.jsonl");
  const options = ["import", file, "--rejects", rejects, "--rate", "1500", ...access];
  const running = startCommand(t, options);
  await untilDone(`${file}.checkpoint`, 300);
  await pipeline.ingest.kill();
  // Nothing is applied, so the rest is answered 202 after a while, and its batches are pending.
  const read = () => JSON.parse(readFileSync(`${file}.checkpoint`, "utf8")).rows as number;
  const atKill = read();
  await pipeline.start("ingest");
  t.equal(await running.ended, 2, running.err());
  t.match(running.out(), /^3,001 rows: .* 1 rejected\n/);
  t.ok(atKill < rows.length);
  await allCleared(t, publisher);
  t.match(JSON.parse(readFileSync(rejects, "utf8")), { line: 3001, reason: "identity_mismatch" });
});
