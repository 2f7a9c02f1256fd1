import { type LocalTimes, NO_TIME, type WallTime } from "./local-time.ts";
import { UnreadableValue } from "./source-row.ts";

/** Turns a file's times into timestamps with an offset. @throws UnreadableValue */
export type ReadTime = (value: unknown) => string;

/** ISO 8601 with `T` or a space, seconds that may be absent, and an offset that may be absent. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d\d:?\d\d)?$/;

/** The parts of a pattern, and what each matches. */
const TOKENS = {
  YYYY: "(?<year>\\d{4})",
  MM: "(?<month>\\d{2})",
  DD: "(?<day>\\d{2})",
  HH: "(?<hour>\\d{2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
  S: "(?<fraction>\\d{1,9})",
} as const;
const TOKEN = /YYYY|MM|DD|HH|mm|ss|S+/g;
/** A pattern without them names no day, or no time of the day. */
const NEEDED = ["YYYY", "MM", "DD", "HH", "mm"] as const;

const NAMED_FORMATS = ["iso", "epoch_seconds", "epoch_milliseconds"] as const;

/** The fault of a format; undefined if `timeReader` takes it. */
export function formatFault(format: string): string | undefined {
  if ((NAMED_FORMATS as readonly string[]).includes(format)) return undefined;
  const missing = NEEDED.filter((token) => !format.includes(token));
  const twice = [...format.matchAll(TOKEN)].map(([token]) => (token[0] === "S" ? "S" : token));
  if (missing.length > 0) {
    return `must be ${NAMED_FORMATS.join(", ")}, or a pattern such as DD.MM.YYYY HH:mm:ss (${missing.join(", ")} missing)`;
  }
  return new Set(twice).size === twice.length ? undefined : "has a part of the date or time twice";
}

/**
 * @param format one of `NAMED_FORMATS`, or a pattern of YYYY MM DD HH mm ss S, where everything else stands for itself
 * @param local the zone of times that have no offset of their own; undefined if they must have one
 */
export function timeReader(format: string, local: LocalTimes | undefined): ReadTime {
  if (format === "epoch_seconds") return (value) => fromEpoch(value, 1000n);
  if (format === "epoch_milliseconds") return (value) => fromEpoch(value, 1n);
  const toTimestamp = (time: WallTime): string => {
    if (local !== undefined) return local.toTimestamp(time);
    throw new UnreadableValue("has no offset: time.zone of the map says where it was");
  };
  if (format === "iso") return (value) => fromIso(textOf(value), toTimestamp);
  const pattern = new RegExp(
    `^${format.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(TOKEN, tokenSource)}$`,
  );
  return (value) => {
    const { groups } = pattern.exec(textOf(value)) ?? {};
    if (groups === undefined) throw new UnreadableValue(`is not as ${format}`);
    const { year, month, day, hour, minute, second = "0", fraction = "" } = groups;
    return toTimestamp(wallTime(year, month, day, hour, minute, second, fraction));
  };
}

function tokenSource(token: string): string {
  return TOKENS[(token[0] === "S" ? "S" : token) as keyof typeof TOKENS];
}

function fromIso(text: string, toTimestamp: (time: WallTime) => string): string {
  const parts = ISO.exec(text);
  if (parts === null) throw new UnreadableValue(NO_TIME);
  const [, year, month, day, hour, minute, second = "00", fraction = "", offset] = parts;
  if (offset === undefined) {
    return toTimestamp(wallTime(year, month, day, hour, minute, second, fraction));
  }
  const decimals = fraction === "" ? "" : `.${fraction}`;
  // The schema checks whether the day exists, as it does for a JSON row.
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${decimals}${normalOffset(offset)}`;
}

function normalOffset(offset: string): string {
  if (offset === "z" || offset === "Z") return "Z";
  return offset.includes(":") ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}

type Digits = string | undefined;

function wallTime(
  year: Digits,
  month: Digits,
  day: Digits,
  hour: Digits,
  minute: Digits,
  second: string,
  fraction: string,
): WallTime {
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction,
  };
}

/** The range of years that the API takes bounds it, so that a Date can hold it. */
const MAX_EPOCH_MS = 4_133_980_799_999n;

function fromEpoch(value: unknown, millisecondsPerUnit: bigint): string {
  const text = typeof value === "number" ? String(value) : textOf(value);
  if (!/^\d{1,15}$/.test(text)) throw new UnreadableValue("is no whole number of the epoch");
  const milliseconds = BigInt(text) * millisecondsPerUnit;
  if (milliseconds > MAX_EPOCH_MS) throw new UnreadableValue("is after the year 2100");
  return new Date(Number(milliseconds)).toISOString();
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new UnreadableValue("must be text");
}
