import { isCurrency } from "#domain/formats";
import { type AmountFormat, PLAIN_AMOUNTS } from "./amount.ts";
import {
  type CsvDialect,
  FIELDS,
  type Field,
  type ImportMap,
  PLAIN_MAP,
  type TimeFormat,
} from "./import-map.ts";
import { DISAMBIGUATIONS, isTimeZone } from "./local-time.ts";
import { LocatedJson } from "./located-json.ts";
import { formatFault } from "./time-format.ts";

/** More decimal places than any currency or unit of account has. */
const MAX_SCALE = 8;

/**
 * Reads a map (docs/import.md).
 * @param file its name, for messages
 * @throws CommandError with line and column of the first mistake
 */
export function parseMap(file: string, text: string): ImportMap {
  const root = LocatedJson.parse(file, text);
  const { columns, constants, values, amount, time, csv } = root.known([
    "columns",
    "constants",
    "values",
    "amount",
    "time",
    "csv",
  ]);
  const places = new Map<string, string>();
  const map: ImportMap = {
    columns: columns === undefined ? undefined : readColumns(columns, places),
    constants: constants === undefined ? new Map() : readConstants(constants),
    values: values === undefined ? new Map() : readValues(values),
    amount: amount === undefined ? PLAIN_AMOUNTS : readAmount(amount),
    time: time === undefined ? PLAIN_MAP.time : readTime(time),
    csv: csv === undefined ? PLAIN_MAP.csv : readCsv(csv),
    placeOf: (column) => places.get(column),
  };
  checkTogether(map, constants);
  return map;
}

/** Checks parts that contradict each other. */
function checkTogether({ columns, constants }: ImportMap, node: LocatedJson | undefined): void {
  for (const [field, value] of node?.members() ?? []) {
    if (columns?.has(field as Field)) throw value.fault("is in columns too: a field has one of them");
  }
  const has = (field: Field) => columns?.has(field) === true || constants.has(field);
  if (has("member_id") && has("member_ref") && node !== undefined) {
    throw node.fault("and columns name member_id and member_ref: a row has one of them");
  }
}

function byField(node: LocatedJson): [Field, LocatedJson][] {
  return [...node.members()].map(([name, value]) => {
    if ((FIELDS as readonly string[]).includes(name)) return [name as Field, value];
    throw value.fault(`is no field of an event: there are ${FIELDS.join(", ")}`);
  });
}

function readColumns(node: LocatedJson, places: Map<string, string>): ReadonlyMap<Field, readonly string[]> {
  return new Map(
    byField(node).map(([field, value]) => {
      const parts = value.isList ? value.items() : [value];
      if (parts.length === 0) throw value.fault("must name a column");
      for (const part of parts) places.set(part.text(), part.place);
      return [field, parts.map((part) => part.text())];
    }),
  );
}

function readConstants(node: LocatedJson): ReadonlyMap<Field, string> {
  return new Map(byField(node).map(([field, value]) => [field, value.text()]));
}

function readValues(node: LocatedJson): ReadonlyMap<Field, ReadonlyMap<string, string>> {
  return new Map(
    byField(node).map(([field, table]) => [
      field,
      new Map([...table.members()].map(([from, to]) => [from, to.text()])),
    ]),
  );
}

function readAmount(node: LocatedJson): AmountFormat {
  const { scale, decimal, group } = node.known(["scale", "decimal", "group"]);
  const format: AmountFormat = {
    scale: scale === undefined ? PLAIN_AMOUNTS.scale : readScale(scale),
    decimal: decimal?.choice([".", ","]) ?? PLAIN_AMOUNTS.decimal,
    group: group?.choice([",", ".", " ", "'", "\u00a0", "\u202f"]),
  };
  if (group !== undefined && format.group === format.decimal) {
    throw group.fault("is what stands before the decimals (amount.decimal)");
  }
  return format;
}

function readScale(node: LocatedJson): AmountFormat["scale"] {
  if (!node.isObject) return node.integer(0, MAX_SCALE);
  return Object.fromEntries(
    [...node.members()].map(([currency, value]) => {
      if (!isCurrency(currency)) throw value.fault("is no current ISO 4217 code");
      return [currency, value.integer(0, MAX_SCALE)];
    }),
  );
}

function readTime(node: LocatedJson): TimeFormat {
  const { zone, format, disambiguation } = node.known(["zone", "format", "disambiguation"]);
  if (zone !== undefined && !isTimeZone(zone.text())) {
    throw zone.fault("is no time zone: give an IANA name, such as Europe/Berlin");
  }
  const fault = format === undefined ? undefined : formatFault(format.text());
  if (fault !== undefined) throw format?.fault(fault);
  return {
    zone: zone?.text(),
    format: format?.text() ?? PLAIN_MAP.time.format,
    disambiguation: disambiguation?.choice(DISAMBIGUATIONS) ?? PLAIN_MAP.time.disambiguation,
  };
}

function readCsv(node: LocatedJson): CsvDialect {
  const { delimiter, quote, encoding, header, trim } = node.known([
    "delimiter",
    "quote",
    "encoding",
    "header",
    "trim",
  ]);
  const { csv } = PLAIN_MAP;
  for (const character of [delimiter, quote]) {
    if (character === undefined || (character === quote && quote.isNull)) continue;
    if (!/^[\t\x20-\x7e]$/.test(character.text())) throw character.fault("must be one ASCII character");
  }
  if (encoding !== undefined && !isEncoding(encoding.text())) {
    throw encoding.fault("is no encoding: give a label such as utf-8, windows-1252 or iso-8859-15");
  }
  return {
    delimiter: delimiter?.text(),
    quote: quote === undefined ? csv.quote : quote.isNull ? undefined : quote.text(),
    encoding: encoding?.text() ?? csv.encoding,
    header: header?.items().map((item) => item.text()),
    trim: trim?.boolean() ?? csv.trim,
  };
}

function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}
