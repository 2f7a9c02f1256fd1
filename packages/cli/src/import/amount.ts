import { UnreadableValue } from "./source-row.ts";

/** The format of amounts in a file. */
export interface AmountFormat {
  /** Decimal places of the minor unit: 2 where 12.50 is 1250; by currency where a file has several. */
  readonly scale: number | Readonly<Record<string, number>>;
  /** The decimal separator. */
  readonly decimal: "." | ",";
  /** The separator of groups of three digits; undefined if there is none. */
  readonly group: string | undefined;
}

/** The API's amounts: minor units without a decimal separator. */
export const PLAIN_AMOUNTS: AmountFormat = { scale: 0, decimal: ".", group: undefined };

/**
 * Above this a JSON number with decimals may have lost some of its digits when it was read: a double holds every
 * decimal number of 15 digits, and not all of 16.
 */
const EXACT_UNITS = 10n ** 15n;
const MAX_UNITS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Minor units of an amount, exactly: the digits are moved, nothing is calculated by floating point.
 * @param value text, or a number of a JSON file
 * @param scale decimal places of the minor unit
 * @throws UnreadableValue if it is no amount, has decimals below the minor unit, or is too large
 */
export function toMinorUnits(value: unknown, scale: number, format: AmountFormat): number {
  const units = parseUnits(toPlainText(value, format), scale);
  const isFraction = typeof value === "number" && !Number.isInteger(value);
  if (isFraction && (units >= EXACT_UNITS || units <= -EXACT_UNITS)) {
    throw new UnreadableValue("is a number of more than 15 digits, which is not exact: write it as text");
  }
  if (units > MAX_UNITS || units < -MAX_UNITS) throw new UnreadableValue("is more than 2^53-1 minor units");
  return Number(units);
}

/** The scale for an event of this currency. @throws UnreadableValue if the map has none for it */
export function scaleOf({ scale }: AmountFormat, currency: string | undefined): number {
  if (typeof scale === "number") return scale;
  const found = currency !== undefined && Object.hasOwn(scale, currency) ? scale[currency] : undefined;
  if (found !== undefined) return found;
  throw new UnreadableValue("has no scale: amount.scale of the map does not name its currency");
}

/** Digits with a point, as `12.50`. */
function toPlainText(value: unknown, { decimal, group }: AmountFormat): string {
  if (typeof value === "number") {
    // From 1e21 on, and below 1e-6, numbers are written with an exponent, which is no amount.
    return String(value);
  }
  if (typeof value !== "string") throw new UnreadableValue("must be a number, or text that is one");
  let text = value.trim();
  if (group !== undefined && text.includes(group)) text = withoutGroups(text, decimal, group);
  return decimal === "," ? replaceComma(text) : text;
}

/** A point is refused: the file may write 1.250 for 1250. */
function replaceComma(text: string): string {
  if (text.includes("."))
    throw new UnreadableValue("has a point, and the map says that decimals follow a comma");
  return text.replace(",", ".");
}

/** Groups must be of three digits: `1,25` with groups by comma is a mistake of the map, and not 125. */
function withoutGroups(text: string, decimal: string, group: string): string {
  const [whole = "", ...decimals] = text.split(decimal);
  const groups = whole.split(group);
  const isGrouped = groups.every((digits, i) => (i === 0 ? /^[+-]?\d{1,3}$/ : /^\d{3}$/).test(digits));
  if (!isGrouped) throw new UnreadableValue("has groups of digits that are not of three");
  return [groups.join(""), ...decimals].join(decimal);
}

const AMOUNT = /^([+-]?)(\d{1,30})(?:\.(\d{1,30}))?$/;

function parseUnits(text: string, scale: number): bigint {
  const [, sign, whole, decimals = ""] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) throw new UnreadableValue("is no amount");
  const excess = decimals.slice(scale);
  // 12.500 is 12.50; 12.505 is not an amount of minor units.
  if (!/^0*$/.test(excess)) throw new UnreadableValue(excessMessage(scale));
  const units = BigInt(whole + decimals.slice(0, scale).padEnd(scale, "0"));
  return sign === "-" ? -units : units;
}

function excessMessage(scale: number): string {
  if (scale === 0) return "has decimals: amount.scale of the map says how many are minor units";
  return scale === 1 ? "has more than 1 decimal place" : `has more than ${scale} decimal places`;
}
