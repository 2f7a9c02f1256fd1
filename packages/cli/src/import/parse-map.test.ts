import t from "tap";
import { parseMap } from "./parse-map.ts";

const parse = (text: string) => parseMap("map.json", text);

t.test("map - every key is read", async (t) => {
  const map = parse(`{
    "columns": { "external_id": "Ref", "authed_at": ["Date", "Time"], "amount": "Amount" },
    "constants": { "currency": "EUR", "network": "visa" },
    "values": { "network": { "VI": "visa", "*": "other" } },
    "amount": { "scale": { "EUR": 2, "JPY": 0 }, "decimal": ",", "group": "." },
    "time": { "zone": "Europe/Berlin", "format": "DD.MM.YYYY HH:mm:ss", "disambiguation": "earlier" },
    "csv": { "delimiter": ";", "quote": null, "encoding": "windows-1252", "header": ["Ref", "Date"], "trim": true }
  }`);
  t.strictSame(
    [...(map.columns ?? [])],
    [
      ["external_id", ["Ref"]],
      ["authed_at", ["Date", "Time"]],
      ["amount", ["Amount"]],
    ],
  );
  t.strictSame(Object.fromEntries(map.constants), { currency: "EUR", network: "visa" });
  t.equal(map.values.get("network")?.get("*"), "other");
  t.strictSame(map.amount, { scale: { EUR: 2, JPY: 0 }, decimal: ",", group: "." });
  t.strictSame(map.time, { zone: "Europe/Berlin", format: "DD.MM.YYYY HH:mm:ss", disambiguation: "earlier" });
  t.strictSame(map.csv, {
    delimiter: ";",
    quote: undefined,
    encoding: "windows-1252",
    header: ["Ref", "Date"],
    trim: true,
  });
  t.equal(map.placeOf("Time"), "map.json:2:62");
  t.equal(map.placeOf("other"), undefined);
});

t.test("map - an empty map sets nothing", async (t) => {
  const map = parse("{}");
  t.equal(map.columns, undefined);
  t.equal(map.amount.scale, 0);
  t.strictSame(map.csv.quote, '"');
});

/** Each mistake, with its line and column. */
const MISTAKES: ReadonlyArray<readonly [text: string, message: string]> = [
  ['{\n  "columns": }', "map.json:2:14: is not JSON"],
  ["", "map.json:1:1: is not JSON"],
  ['["columns"]', "map.json:1:1: it must be an object"],
  ['{"column": {}}', "map.json:1:12: column is not known: there are columns, constants, values"],
  [
    '{\n "columns": {\n  "ammount": "A"\n }\n}',
    "map.json:3:14: columns.ammount is no field of an event: there are",
  ],
  ['{"columns": {"bin": "A", "bin": "B"}}', "map.json:1:26: columns.bin is there twice"],
  ['{"columns": {"bin": 7}}', "map.json:1:21: columns.bin must be text"],
  ['{"columns": {"bin": ""}}', "map.json:1:21: columns.bin must be text"],
  ['{"columns": {"bin": []}}', "map.json:1:21: columns.bin must name a column"],
  ['{"columns": {"bin": ["A", 1]}}', "map.json:1:27: columns.bin[1] must be text"],
  ['{"constants": {"network": true}}', "map.json:1:27: constants.network must be text"],
  [
    '{"columns": {"currency": "C"},\n "constants": {"currency": "EUR"}}',
    "map.json:2:28: constants.currency is in columns too",
  ],
  [
    '{"columns": {"member_ref": "C"},\n "constants": {"member_id": "m_1"}}',
    "map.json:2:15: constants and columns name member_id and member_ref",
  ],
  ['{"values": {"network": "visa"}}', "map.json:1:24: values.network must be an object"],
  ['{"amount": {"scale": 2.5}}', "map.json:1:22: amount.scale must be a whole number from 0 to 8"],
  ['{"amount": {"scale": {"EURO": 2}}}', "map.json:1:31: amount.scale.EURO is no current ISO 4217 code"],
  ['{"amount": {"decimal": ";"}}', 'map.json:1:24: amount.decimal must be one of ".", ","'],
  [
    '{"amount": {"decimal": ",", "group": ","}}',
    "map.json:1:38: amount.group is what stands before the decimals",
  ],
  ['{"time": {"zone": "Mars/Base"}}', "map.json:1:19: time.zone is no time zone: give an IANA name"],
  ['{"time": {"format": "DD.MM.YYYY"}}', "map.json:1:21: time.format must be iso"],
  ['{"time": {"disambiguation": "first"}}', "map.json:1:29: time.disambiguation must be one of"],
  ['{"csv": {"delimiter": ";;"}}', "map.json:1:23: csv.delimiter must be one ASCII character"],
  ['{"csv": {"delimiter": null}}', "map.json:1:23: csv.delimiter must be text"],
  ['{"csv": {"encoding": "klingon"}}', "map.json:1:22: csv.encoding is no encoding"],
  ['{"csv": {"header": "Ref"}}', "map.json:1:20: csv.header must be a list"],
  ['{"csv": {"trim": "yes"}}', "map.json:1:18: csv.trim must be true or false"],
];
for (const [text, message] of MISTAKES) {
  t.test(`map - ${message}`, async (t) => {
    try {
      parse(text);
      t.fail("it was taken");
    } catch (error) {
      const { name, message: said } = error as Error;
      t.equal(name, "CommandError");
      t.equal(said.slice(0, message.length), message);
    }
  });
}
