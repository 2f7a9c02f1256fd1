/**
 * Timestamps on the wire (contract, section 1): RFC 3339 with an offset, years 2000 to 2100 in UTC, at most nine
 * fraction digits, kept to the microsecond. `T` and `Z` are accepted in lower case, as RFC 3339 says; a space
 * is not.
 */
const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LEAP_SECOND_MINUTE_OF_DAY = 23 * 60 + 59;
const UPPER_T = 84;
const UPPER_Z = 90;
const DASH = 45;
const DOT = 46;
const COLON = 58;
const DIGIT_0 = 48;
/** Only in a leap second do the seconds begin with a 6. */
const DIGIT_6 = 54;
const MINUTES_PER_DAY = 24 * 60;
const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;

/**
 * Whether `text` is a valid timestamp. Refuses 30 February, and a 60th second anywhere but at the end of a
 * UTC day.
 */
export function isTimestamp(text: string): boolean {
  if (isPlain(text)) return true;
  const parts = SHAPE.exec(text);
  if (parts === null) return false;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  // At the borders an offset may move a time by a year, into the valid years or out of them.
  if (year < FIRST_YEAR - 1 || year > LAST_YEAR + 1 || month < 1 || month > 12) return false;
  if (day < 1 || day > daysIn(year, month)) return false;
  const hour = Number(parts[4]);
  const minute = Number(parts[5]);
  const second = Number(parts[6]);
  if (hour > 23 || minute > 59 || second > 60) return false;
  const offsetHours = Number(parts[9] ?? 0);
  const offsetMinutes = Number(parts[10] ?? 0);
  if (offsetHours > 23 || offsetMinutes > 59) return false;
  const isInside = year > FIRST_YEAR && year < LAST_YEAR;
  if (isInside && second < 60) return true;
  const offset = (parts[8] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  const utcMinute = hour * 60 + minute - offset;
  // A leap second is inserted at the end of a UTC day and nowhere else.
  const isLeap = second === 60;
  const minuteOfDay = (utcMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (isLeap && minuteOfDay !== LEAP_SECOND_MINUTE_OF_DAY) return false;
  // It is stored as the next second, which must be within these years, too.
  const utc = Date.UTC(year, month - 1, day, 0, utcMinute);
  const kept = isLeap ? utc + 60_000 : utc;
  return new Date(utc).getUTCFullYear() >= FIRST_YEAR && new Date(kept).getUTCFullYear() <= LAST_YEAR;
}

/**
 * Whether it has the usual form: UTC, certainly within the years, no leap second. Every event has one or
 * more, so it is read digit by digit: the groups of a pattern would be garbage to collect.
 */
function isPlain(text: string): boolean {
  const { length } = text;
  if (length < 20 || length > 30 || length === 21 || text.charCodeAt(length - 1) !== UPPER_Z) return false;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || text.charCodeAt(10) !== UPPER_T)
    return false;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return false;
  if (length > 20 && text.charCodeAt(19) !== DOT) return false;
  for (let i = 20; i < length - 1; i++) if (!isDigit(text, i)) return false;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  // NaN is in no range.
  return (
    year > FIRST_YEAR &&
    year < LAST_YEAR &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59
  );
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= DIGIT_0 && code < DIGIT_0 + 10;
}

/** NaN if one of the two characters is not a digit. */
function twoDigits(text: string, at: number): number {
  if (!isDigit(text, at) || !isDigit(text, at + 1)) return Number.NaN;
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - DIGIT_0 * 11;
}

function daysIn(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29;
  return MONTH_DAYS[month - 1] as number;
}

/**
 * Whether a timestamp is in UTC, in capitals, and no leap second: `toUtcMicroseconds` changes only its
 * fraction.
 * @param text a timestamp for which `isTimestamp` holds
 */
export function isUtc(text: string): boolean {
  return (
    text.charCodeAt(text.length - 1) === UPPER_Z &&
    text.charCodeAt(10) === UPPER_T &&
    text.charCodeAt(17) !== DIGIT_6
  );
}

/**
 * The same instant in UTC with six fraction digits: `2026-01-31T09:30:00.123456Z`. Digits past the
 * microsecond are cut, a leap second becomes the second after it. Normalised here because Postgres refuses
 * offsets of 16 h and more, which RFC 3339 allows, and because equal instants then have equal texts.
 * @param text a timestamp for which `isTimestamp` holds
 */
export function toUtcMicroseconds(text: string): string {
  // Nearly all are in UTC already, and only their fraction needs six digits.
  if (isUtc(text)) {
    return `${text.slice(0, 19)}.${text.slice(20, -1).slice(0, 6).padEnd(6, "0")}Z`;
  }
  const parts = SHAPE.exec(text);
  if (parts === null) throw new RangeError("not a timestamp");
  const fraction = (parts[7] ?? "").slice(0, 6).padEnd(6, "0");
  const offset = (parts[8] === "-" ? -1 : 1) * (Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0));
  const milliseconds = Date.UTC(
    Number(parts[1]),
    Number(parts[2]) - 1,
    Number(parts[3]),
    Number(parts[4]),
    Number(parts[5]) - offset,
    Number(parts[6]),
  );
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.${fraction}Z`;
}

const MICROSECONDS_PER_MILLISECOND = 1000;

/**
 * Microseconds since 1970 of a timestamp from `toUtcMicroseconds`. Up to the year 2100 they are below 2^53,
 * so differences are exact.
 */
export function microsecondsOf(timestamp: string): number {
  const milliseconds = Date.parse(`${timestamp.slice(0, 23)}Z`);
  return milliseconds * MICROSECONDS_PER_MILLISECOND + Number(timestamp.slice(23, 26));
}
