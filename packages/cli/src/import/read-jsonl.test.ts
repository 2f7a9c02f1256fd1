import fc from "fast-check";
import t from "tap";
import { readJsonl } from "./read-jsonl.ts";
import { MAX_ROW_BYTES, type SourceRow } from "./source-row.ts";

async function* chunks(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function read(content: string | Buffer, { skip = 0, size = 5 } = {}): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  for await (const batch of readJsonl(chunks(Buffer.from(content as string), size), skip))
    rows.push(...batch);
  return rows;
}

t.test("JSON lines - all values are read, with their lines, however the file is cut", async () => {
  const cut = fc.integer({ min: 1, max: 100 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      cut,
      fc.constantFrom("\n", "\r\n", "\n\n"),
      async (values, size, end) => {
        const text = values.map((value) => JSON.stringify(value)).join(end);
        const rows = await read(text, { size });
        const step = end === "\n\n" ? 2 : 1;
        const expected = values.map((value, i) => ({
          line: i * step + 1,
          row: JSON.parse(JSON.stringify(value)),
        }));
        return JSON.stringify(rows) === JSON.stringify(expected);
      },
    ),
  );
});

t.test("JSON lines - a line that is not JSON or not UTF-8 is a fault, and the next is not", async (t) => {
  const broken = Buffer.concat([
    Buffer.from('\ufeff{"a":1}\n{"a":\n"'),
    Buffer.from([0xff]),
    Buffer.from('"\n2\n'),
  ]);
  t.strictSame(await read(broken), [
    { line: 1, row: { a: 1 } },
    { line: 2, row: '{"a":', fault: "is not JSON" },
    { line: 3, row: '"\ufffd"', fault: "is not UTF-8" },
    { line: 4, row: 2 },
  ]);
});

t.test("JSON lines - rows at the beginning can be left out, and faults count as rows", async (t) => {
  t.strictSame(await read("1\n\n{\n3\n", { skip: 2 }), [{ line: 4, row: 3 }]);
});

t.test("JSON lines - when reading fails, as of a file that was cut, the torn row is not given", async (t) => {
  const rows: SourceRow[] = [];
  async function* cut(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"a":1}\n{"a":2');
    throw new Error("cut");
  }
  const reading = (async () => {
    for await (const batch of readJsonl(cut(), 0)) rows.push(...batch);
  })();
  await t.rejects(reading, { message: "cut" });
  t.strictSame(rows, [{ line: 1, row: { a: 1 } }]);
});

t.test("JSON lines - a line that never ends does not fill the memory", async (t) => {
  const rows = await read(`"${"x".repeat(3 * MAX_ROW_BYTES)}"\n7\n`, { size: 65_536 });
  t.match(rows, [
    { line: 1, fault: `has more than ${MAX_ROW_BYTES} bytes` },
    { line: 2, row: 7 },
  ]);
  t.equal(String(rows[0]?.row).length, 1000);
});
