/**
 * Timestamps on the wire (contract, section 1): RFC 3339 with an offset, years 2000 to 2100 in UTC, at most nine
 * fraction digits, kept to the microsecond. `T` and `Z` are accepted in lower case, as RFC 3339 says; a space
 * is not.
 */
const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LEAP_SECOND_MINUTE_OF_DAY = 23 * 60 + 59;
const UPPER_T = 84;
/** Only in a leap second do the seconds begin with a 6. */
const DIGIT_6 = 54;
const MINUTES_PER_DAY = 24 * 60;
const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;

/**
 * Whether `text` is a timestamp that the service takes. Refuses 30 February, and a 60th second anywhere but
 * at the end of a UTC day.
 */
export function isTimestamp(text: string): boolean {
  const parts = SHAPE.exec(text);
  if (parts === null) return false;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  // At its borders an offset may move a time by a year, into those that count or out of them.
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
  // It is kept as the second after it, which must be of these years too.
  const utc = Date.UTC(year, month - 1, day, 0, utcMinute);
  const kept = isLeap ? utc + 60_000 : utc;
  return new Date(utc).getUTCFullYear() >= FIRST_YEAR && new Date(kept).getUTCFullYear() <= LAST_YEAR;
}

function daysIn(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29;
  return MONTH_DAYS[month - 1] as number;
}

/**
 * The same instant in UTC with six fraction digits: `2026-01-31T09:30:00.123456Z`. Digits past the
 * microsecond are cut, a leap second becomes the second after it. Normalised here because Postgres refuses
 * offsets of 16 h and more, which RFC 3339 allows, and because equal instants then have equal texts.
 * @param text a timestamp for which `isTimestamp` holds
 */
export function toUtcMicroseconds(text: string): string {
  // Nearly all are in UTC already, and only their fraction has to be brought to six digits.
  if (text.endsWith("Z") && text.charCodeAt(10) === UPPER_T && text.charCodeAt(17) !== DIGIT_6) {
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
 * Microseconds since 1970 of a timestamp as `toUtcMicroseconds` writes it. Up to the year 2100 they are below
 * 2^53, so differences are exact.
 */
export function microsecondsOf(timestamp: string): number {
  const milliseconds = Date.parse(`${timestamp.slice(0, 23)}Z`);
  return milliseconds * MICROSECONDS_PER_MILLISECOND + Number(timestamp.slice(23, 26));
}
