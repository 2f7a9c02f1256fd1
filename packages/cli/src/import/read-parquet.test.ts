import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type ParquetWriteOptions, parquetWriteBuffer } from "hyparquet-writer";
import t, { type Test } from "tap";
import { openParquet } from "./read-parquet.ts";
import type { SourceRow } from "./source-row.ts";

type Options = Omit<ParquetWriteOptions, "writer">;

async function open(t: Test, options: Options) {
  const path = join(t.testdir(), "a.parquet");
  writeFileSync(path, Buffer.from(parquetWriteBuffer(options)));
  const file = await openParquet(path);
  t.teardown(() => file.close());
  return file;
}

async function readAll(file: Awaited<ReturnType<typeof open>>, columns = file.columns, skip = 0) {
  const rows: SourceRow[] = [];
  for await (const batch of file.read(columns, skip)) rows.push(...batch);
  return rows;
}

/** A decimal(18, 2) as INT64, a decimal(9, 2) as INT32 and one as bytes, with timestamps in and without UTC. */
const SCHEMA: Options["schema"] = [
  { name: "root", num_children: 6 },
  {
    name: "long",
    type: "INT64",
    repetition_type: "REQUIRED",
    converted_type: "DECIMAL",
    scale: 2,
    precision: 18,
  },
  {
    name: "short",
    type: "INT32",
    repetition_type: "OPTIONAL",
    converted_type: "DECIMAL",
    scale: 2,
    precision: 9,
  },
  {
    name: "bytes",
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: 8,
    repetition_type: "REQUIRED",
    logical_type: { type: "DECIMAL", precision: 18, scale: 3 },
    converted_type: "DECIMAL",
    scale: 3,
    precision: 18,
  },
  {
    name: "utc",
    type: "INT64",
    repetition_type: "REQUIRED",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
  {
    name: "local",
    type: "INT64",
    repetition_type: "REQUIRED",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "MILLIS" },
  },
  { name: "text", type: "BYTE_ARRAY", repetition_type: "OPTIONAL", converted_type: "UTF8" },
];

t.test("Parquet - decimals and timestamps are text, to the last digit", async (t) => {
  const micros = BigInt(Date.UTC(2026, 2, 1, 10, 0, 0)) * 1000n + 123456n;
  const file = await open(t, {
    schema: SCHEMA,
    columnData: [
      // 19.99 is not 1999 × 0.01 in floating point; the second has more digits than a double.
      { name: "long", data: [1999n, 9007199254740993n] },
      { name: "short", data: [5n, null] },
      { name: "bytes", data: [-12345n, 0n] },
      { name: "utc", data: [micros, -1n] },
      { name: "local", data: [micros / 1000n, 0n] },
      { name: "text", data: ["München", null] },
    ],
  });
  t.strictSame([file.rows, file.columns], [2, ["long", "short", "bytes", "utc", "local", "text"]]);
  t.match(await readAll(file), [
    {
      line: 1,
      row: {
        long: "19.99",
        short: "0.05",
        bytes: "-12.345",
        utc: "2026-03-01T10:00:00.123456Z",
        local: "2026-03-01T10:00:00.123",
        text: "München",
      },
    },
    {
      line: 2,
      row: {
        long: "90071992547409.93",
        bytes: "0.000",
        utc: "1969-12-31T23:59:59.999999Z",
        local: "1970-01-01T00:00:00.000",
      },
    },
  ]);
});

/** Many small row groups and pages, so that the test reads parts of groups. */
function numbers(rows: number, offsetIndex: boolean): Options {
  const data = Array.from({ length: rows }, (_, i) => `row ${i + 1}`);
  return {
    columnData: [{ name: "a", data, type: "STRING", offsetIndex }],
    rowGroupSize: 25_000,
    pageSize: 8192,
  };
}

for (const offsetIndex of [true, false]) {
  t.test(
    `Parquet - row groups are read in parts, ${offsetIndex ? "with" : "without"} an offset index`,
    async (t) => {
      const file = await open(t, numbers(60_000, offsetIndex));
      for (const skip of [0, 1, 24_999, 25_000, 59_999, 60_000]) {
        const rows = await readAll(file, ["a"], skip);
        t.equal(rows.length, 60_000 - skip);
        t.ok(
          rows.every(
            ({ line, row }, i) => line === skip + i + 1 && (row as { a: string }).a === `row ${line}`,
          ),
        );
      }
    },
  );
}

t.test("Parquet - pages in gzip are unpacked, only the wanted columns are read", async (t) => {
  const file = await open(t, {
    columnData: [
      { name: "a", data: ["1", "2"], type: "STRING" },
      { name: "b", data: ["3", "4"], type: "STRING" },
    ],
    codec: "GZIP",
    compressors: { GZIP: (input) => gzipSync(input) },
  });
  t.strictSame(
    (await readAll(file, ["b"])).map(({ row }) => ({ ...(row as object) })),
    [{ b: "3" }, { b: "4" }],
  );
});

t.test("Parquet - another file is refused", async (t) => {
  const path = join(t.testdir({ "a.parquet": "external_id,amount\n1,2\n" }), "a.parquet");
  await t.rejects(openParquet(path), {
    name: "CommandError",
    message: /a\.parquet: cannot be read as Parquet/,
  });
});
