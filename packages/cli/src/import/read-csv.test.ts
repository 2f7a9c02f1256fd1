import t, { type Test } from "tap";
import { type CsvDialect, PLAIN_MAP } from "./import-map.ts";
import { readCsv } from "./read-csv.ts";
import type { SourceRow } from "./source-row.ts";

/** Cuts a file into chunks, so that rows and characters are split. */
async function* chunks(content: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(content as string);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

async function read(content: string | Buffer, dialect: Partial<CsvDialect> = {}, skip = 0, size = 7) {
  let columns: readonly string[] = [];
  const rows: SourceRow[] = [];
  const onColumns = (found: readonly string[]) => {
    columns = found;
  };
  const file = {
    name: "a.csv",
    bytes: chunks(content, size),
    dialect: { ...PLAIN_MAP.csv, ...dialect },
    onColumns,
  };
  for await (const batch of readCsv(file, skip)) rows.push(...batch);
  return { columns, rows };
}

const rowsOf = async (...args: Parameters<typeof read>) => (await read(...args)).rows.map(({ row }) => row);

t.test("CSV - rows are read by column, with the line in which each begins", async (t) => {
  const text = '\ufeffa,b\n1,2\n\n"x\ny",3\n4,"5 ""6"""\n';
  const { columns, rows } = await read(text);
  t.strictSame(columns, ["a", "b"]);
  t.strictSame(rows, [
    { line: 2, row: { a: "1", b: "2" } },
    { line: 4, row: { a: "x\ny", b: "3" } },
    { line: 6, row: { a: "4", b: '5 "6"' } },
  ]);
});

t.test("CSV - lines are counted the same with Windows' line ends, within quotes too", async (t) => {
  const text = 'a,b\r\n1,2\r\n"x\r\ny",3\r\n4,5\r\n6,"\r\n\r\n"\r\n7,8';
  for (const size of [1, 2, 3, 1000]) {
    const { rows } = await read(text, {}, 0, size);
    t.strictSame(
      rows.map(({ line }) => line),
      [2, 3, 5, 6, 9],
    );
  }
});

t.test("CSV - a row with too many or too few values is a fault, and the next is not", async (t) => {
  const { rows } = await read("a,b\n1\n1,2,3\n4,5\n");
  t.strictSame(rows, [
    { line: 2, row: ["1"], fault: "has 1 values, and there are 2 columns" },
    { line: 3, row: ["1", "2", "3"], fault: "has 3 values, and there are 2 columns" },
    { line: 4, row: { a: "4", b: "5" } },
  ]);
});

t.test("CSV - rows at the beginning can be left out, and later rows keep their lines", async (t) => {
  const text = `a\n${Array.from({ length: 3000 }, (_, i) => i).join("\n")}\n`;
  const { rows } = await read(text, {}, 2998, 100);
  t.strictSame(rows, [
    { line: 3000, row: { a: "2998" } },
    { line: 3001, row: { a: "2999" } },
  ]);
});

t.test("CSV - the map sets delimiter, quotes, spaces, encoding and header", async (t) => {
  t.strictSame(await rowsOf('a;b\n1;"2\n', { delimiter: ";", quote: undefined }), [{ a: "1", b: '"2' }]);
  t.strictSame(await rowsOf("a;b\n'1;2';3\n", { delimiter: ";", quote: "'" }), [{ a: "1;2", b: "3" }]);
  t.strictSame(await rowsOf("a , b\n 1 , 2\n", { trim: true }), [{ a: "1", b: "2" }]);
  t.strictSame(await rowsOf("1,2\n", { header: ["x", "y"] }), [{ x: "1", y: "2" }]);
  const latin = Buffer.from([0x61, 10, 0x4d, 0xfc, 0x6e, 0x63, 0x68, 0x65, 0x6e, 0x80, 10]);
  t.strictSame(await rowsOf(latin, { encoding: "windows-1252" }, 0, 1), [{ a: "München€" }]);
  t.strictSame(await rowsOf(Buffer.from("\ufeffa\nMünchen\n", "utf16le"), { encoding: "utf-16le" }, 0, 3), [
    { a: "München" },
  ]);
  t.strictSame(await rowsOf("a\nMünchen\n", {}, 0, 1), [{ a: "München" }], "torn characters");
});

async function fails(t: Test, content: string, message: string) {
  await t.rejects(read(content), { name: "CommandError", message });
}

t.test("CSV - wrong quotes are reported with line and column, without the value", async (t) => {
  await fails(
    t,
    'a,bin\n1,2\n3,"4111111111111111"x\n5,6\n',
    'a.csv: line 3, column "bin": a quote within a quoted value must be doubled (or set csv.quote of the map to null if quotes mean nothing)',
  );
  await fails(
    t,
    'a,bin\n1,4"2\n',
    'a.csv: line 2, column "bin": a quote must begin the value (or set csv.quote of the map to null if quotes mean nothing)',
  );
  await t.rejects(read('a,b\n1,"2\n3,4\n'), {
    message: /^a\.csv: line \d, column "b": a quote was opened before here/,
  });
  await t.rejects(read(`a,b\n1,"${"2\n".repeat(600_000)}`, {}, 0, 65_536), {
    message: /a row has more than 1048576 bytes/,
  });
});

t.test("CSV - an empty file has no columns", async (t) => {
  await t.rejects(read(""), { message: "a.csv: is empty; its first line names the columns" });
  t.strictSame((await read("a,b\n")).rows, []);
});

t.test("CSV - from a slow pipe only the last row is held back", async (t) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = async function* () {
    yield Buffer.from("a\nfirst row\nsecond row\n");
    await released;
    yield Buffer.from("third row\n");
  };
  const file = { name: "a.csv", bytes: slow(), dialect: PLAIN_MAP.csv, onColumns: () => {} };
  const batches = readCsv(file, 0);
  t.strictSame((await batches.next()).value, [{ line: 2, row: { a: "first row" } }]);
  release();
  const rest: SourceRow[] = [];
  for await (const batch of batches) rest.push(...batch);
  t.strictSame(rest, [
    { line: 3, row: { a: "second row" } },
    { line: 4, row: { a: "third row" } },
  ]);
});
