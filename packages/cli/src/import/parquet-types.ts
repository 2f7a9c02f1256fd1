import type { SchemaElement, TimeUnit } from "hyparquet";

/** Makes text of a stored value. */
export type ColumnType = (value: unknown) => string;

/**
 * How the values of a column become text, exactly; undefined for a type whose values the library gives as they are.
 */
export function columnTypeOf(element: SchemaElement): ColumnType | undefined {
  const { logical_type: logical, converted_type: converted } = element;
  if (logical?.type === "DECIMAL" || converted === "DECIMAL") {
    const scale = element.scale ?? (logical?.type === "DECIMAL" ? logical.scale : 0);
    return (value) => decimalText(unscaled(value), scale);
  }
  if (logical?.type === "TIMESTAMP") {
    const { unit, isAdjustedToUTC } = logical;
    return (value) => (isAdjustedToUTC ? instantText : localText)(value as bigint, unit);
  }
  // By the format's rules these older names mean UTC.
  if (converted === "TIMESTAMP_MILLIS") return (value) => instantText(value as bigint, "MILLIS");
  if (converted === "TIMESTAMP_MICROS") return (value) => instantText(value as bigint, "MICROS");
  return undefined;
}

/** The integer that a decimal is stored as: a number, or its bytes in two's complement, the highest first. */
function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as bigint | number);
  if (value.length === 0) return 0n;
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString("hex")}`));
}

/** 1250 with scale 2 is `12.50`. */
function decimalText(units: bigint, scale: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const DIGITS: Readonly<Record<TimeUnit, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

/** `2026-03-01T10:00:00.123456Z` of so many units since 1970. */
export function instantText(units: bigint, unit: TimeUnit): string {
  return `${localText(units, unit)}Z`;
}

function localText(units: bigint, unit: TimeUnit): string {
  const digits = DIGITS[unit];
  const perSecond = 10n ** BigInt(digits);
  const fraction = ((units % perSecond) + perSecond) % perSecond;
  const seconds = Number((units - fraction) / perSecond);
  // What a Date cannot hold is no time of a purchase; the schema refuses it as text.
  const date = new Date(seconds * 1000);
  const text = Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().slice(0, -5);
  return `${text}.${String(fraction).padStart(digits, "0")}`;
}
