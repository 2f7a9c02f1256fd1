import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import t from "tap";
import { commandProcess, startTakingService } from "./test-import.ts";

/**
 * `IMPORT_ROWS=10000000 npm test -- packages/cli/src/import/memory` is the long run, with ten million rows
 * through standard input. The limit is the same.
 */
const ROWS = Number(process.env.IMPORT_ROWS ?? 120_000);
/**
 * The importer's heap for long-lived objects, in MiB; V8 ends a process that needs more. In a trial that kept
 * every sent event, the import reached 76,000 rows.
 */
const HEAP_MIB = 112;
const NODE_FLAGS = [`--max-old-space-size=${HEAP_MIB}`];

const row = (i: number): string[] => [
  "m_01kaq3xq7ff08scpzmnr0tn2na",
  `tx-${String(i).padStart(10, "0")}`,
  "A1B2C3",
  "visa",
  "411111",
  `MID-${i % 1000}`,
  `COFFEE CORNER ${i}`,
  "1250",
  "EUR",
  "2026-03-01T10:00:00Z",
];
const COLUMNS = [
  "member_id",
  "external_id",
  "auth_code",
  "network",
  "bin",
  "merchant_id",
  "statement_descriptor",
  "amount",
  "currency",
  "authed_at",
];

function* csv(): Generator<string> {
  let text = `${COLUMNS.join(",")}\n`;
  for (let i = 0; i < ROWS; i++) {
    text += `${row(i).join(",")}\n`;
    if (text.length < 65_536) continue;
    yield text;
    text = "";
  }
  yield text;
}

const shown = ROWS.toLocaleString("en");

t.test(`import - ${shown} rows of CSV take no more memory than fewer`, async (t) => {
  const { url, taken } = await startTakingService(t);
  const dir = t.testdir({ token: "token" });
  const access = ["--url", url, "--token-file", join(dir, "token"), "--checkpoint", join(dir, "checkpoint")];
  const stdin = Readable.from(csv(), { objectMode: false });
  const options = { stdin, nodeFlags: NODE_FLAGS };
  const { code, out, err } = await commandProcess(t, ["import", "-", "--format", "csv", ...access], options);
  t.equal(out, `${shown} rows: ${shown} created, 0 updated, 0 unchanged, 0 rejected\n`, err);
  t.equal(code, 0);
  t.equal(taken(), ROWS);
});

t.test("import - rejected rows take no more memory either", async (t) => {
  const dir = t.testdir();
  const file = join(dir, "a.jsonl");
  const lines = function* () {
    for (let i = 0; i < 200_000; i++) yield `{"external_id":"tx-${i}","note":"${"x".repeat(500)}"}\n`;
  };
  await pipeline(Readable.from(lines(), { objectMode: false }), createWriteStream(file));
  const options = { nodeFlags: NODE_FLAGS };
  const args = ["import", file, "--dry-run", "--rejects", join(dir, "rejects.jsonl")];
  const { code, out, err } = await commandProcess(t, args, options);
  t.equal(code, 2, err);
  t.match(out, /^200,000 rows: 0 created.* 200,000 rejected\n/);
});
