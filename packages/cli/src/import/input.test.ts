import { appendFileSync, renameSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import t from "tap";
import { type Input, openInput } from "./input.ts";

const NONE = Readable.from([]);
const TEXT = "a\n".repeat(100_000);

async function content(input: Input): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input.bytes()) parts.push(part);
  return Buffer.concat(parts).toString();
}

t.test("input - the name gives the format, also within gzip, unless --format does", async (t) => {
  const dir = t.testdir({
    "a.csv": "",
    "a.TSV": "",
    "a.ndjson": "",
    "a.jsonl.gz": "",
    a: "",
    "a.txt": "",
  });
  const formatOf = async (name: string) => (await openInput(join(dir, name), undefined, NONE)).format;
  t.strictSame(await Promise.all(["a.csv", "a.TSV", "a.ndjson", "a.jsonl.gz"].map(formatOf)), [
    "csv",
    "csv",
    "jsonl",
    "jsonl",
  ]);
  for (const name of ["a", "a.txt"])
    await t.rejects(formatOf(name), { message: /its name does not tell the format: give --format/ });
  t.equal((await openInput(join(dir, "a.txt"), "jsonl", NONE)).format, "jsonl");
});

t.test("input - gzip is recognised by its bytes, not its name, in several parts too", async (t) => {
  const half = TEXT.length / 2;
  const packed = Buffer.concat([gzipSync(TEXT.slice(0, half)), gzipSync(TEXT.slice(half))]);
  const dir = t.testdir();
  for (const name of ["a.csv", "a.csv.gz"]) {
    writeFileSync(join(dir, name), packed);
    const input = await openInput(join(dir, name), undefined, NONE);
    t.equal(await content(input), TEXT);
    t.equal(input.bytesRead(), packed.length);
    t.equal(input.identity.size, packed.length);
  }
  const piped = await openInput("-", "csv", Readable.from([packed.subarray(0, 9), packed.subarray(9)]));
  t.equal(await content(piped), TEXT);
});

t.test("input - truncated gzip is reported, after its complete part", async (t) => {
  const packed = gzipSync(Array.from({ length: 50_000 }, (_, i) => `${i}\n`).join(""));
  const dir = t.testdir();
  writeFileSync(join(dir, "a.csv.gz"), packed.subarray(0, packed.length - 100));
  const input = await openInput(join(dir, "a.csv.gz"), undefined, NONE);
  let length = 0;
  const reading = (async () => {
    for await (const part of input.bytes()) length += part.length;
  })();
  await t.rejects(reading, { name: "CommandError", message: /a\.csv\.gz: its gzip is damaged or cut short/ });
  t.ok(length > 0);
});

t.test("input - a file that changes while it is read is reported, and its end is held back", async (t) => {
  const rows = Array.from({ length: 40_000 }, (_, i) => `${i},450\n`).join("");
  const changes: Record<string, (file: string) => void> = {
    "grew or shrank from 388890 to 150000 bytes": (file) => truncateSync(file, 150_000),
    "grew or shrank from 388890 to 388893 bytes": (file) => appendFileSync(file, "1,4"),
    "was replaced by another file": (file) => {
      writeFileSync(`${file}.new`, rows);
      renameSync(`${file}.new`, file);
    },
    "was written to": (file) => writeFileSync(file, rows),
    "was removed": (file) => unlinkSync(file),
  };
  for (const [said, change] of Object.entries(changes)) {
    const file = join(t.testdir({ "a.csv": rows }), "a.csv");
    const input = await openInput(file, undefined, NONE);
    const given: Buffer[] = [];
    const reading = (async () => {
      for await (const part of input.bytes()) {
        if (given.length === 0) change(file);
        given.push(part);
      }
    })();
    await t.rejects(reading, {
      name: "CommandError",
      message: new RegExp(`a\\.csv ${said} while the import read it`),
    });
    t.ok(Buffer.concat(given).length < rows.length, said);
  }
});

t.test("input - says whether the file ends within a line", async (t) => {
  const dir = t.testdir({ whole: "a\nb\n", cut: "a\nb", none: "" });
  writeFileSync(join(dir, "packed"), gzipSync("a\nb"));
  for (const [name, expected] of [
    ["whole", false],
    ["cut", true],
    ["none", false],
    ["packed", true],
  ] as const) {
    const input = await openInput(join(dir, name), "csv", NONE);
    await content(input);
    t.equal(input.endsWithinLine(), expected, name);
  }
  const piped = await openInput("-", "csv", Readable.from([Buffer.from("a")]));
  await content(piped);
  t.equal(piped.endsWithinLine(), true);
});

t.test("input - a file is recognised by its size, its beginning and its end", async (t) => {
  const file = join(t.testdir({ "a.csv": TEXT }), "a.csv");
  const identity = async () => (await openInput(file, undefined, NONE)).identity;
  const first = await identity();
  t.strictSame(await identity(), first);
  t.equal(first.size, TEXT.length);
  writeFileSync(file, `b${TEXT.slice(1)}`);
  t.not((await identity()).sha256, first.sha256, "its beginning");
  writeFileSync(file, `${TEXT.slice(0, -2)}b\n`);
  t.not((await identity()).sha256, first.sha256, "its end");
  writeFileSync(file, TEXT);
  t.strictSame(await identity(), first);
  appendFileSync(file, "more\n");
  t.not((await identity()).size, first.size);
});

t.test("input - standard input is read once, and recognised by its beginning", async (t) => {
  const chunks = [Buffer.from(TEXT.slice(0, 70_000)), Buffer.from(TEXT.slice(70_000))];
  const input = await openInput("-", "jsonl", Readable.from(chunks));
  t.equal(input.identity.size, null);
  t.equal(await content(input), TEXT);
  const again = await openInput("-", "jsonl", Readable.from([Buffer.from(TEXT)]));
  t.equal(again.identity.sha256, input.identity.sha256);
  const empty = await openInput("-", "csv", Readable.from([]));
  t.equal(await content(empty), "");
  await t.rejects(openInput("-", undefined, NONE), { message: /standard input: give --format/ });
});

t.test("input - an unreadable file is reported on one line", async (t) => {
  const dir = t.testdir({ "a.parquet": gzipSync("x") });
  await t.rejects(openInput(join(dir, "none.csv"), undefined, NONE), {
    message: /^cannot read .*none\.csv \(ENOENT, no such file or folder\)$/,
  });
  await t.rejects(openInput(dir, "csv", NONE), { message: /is no file/ });
  await t.rejects(openInput(join(dir, "a.parquet"), undefined, NONE), {
    message: /import reads no Parquet; make CSV of it: duckdb/,
  });
});
