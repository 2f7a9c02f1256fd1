/* Times and numbers in sentences, in British English: 24 hours, day before month. "Today" is a day in the reader's zone. */

/** The time and the zone in which a sentence is read. */
export interface Reader {
  readonly now: Date;
  /** Such as `Europe/Stockholm`; undefined: that of the browser. */
  readonly zone?: string | undefined;
}

const LANGUAGE = "en-GB";

function format(at: Date, { zone }: Reader, parts: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(LANGUAGE, {
    ...parts,
    ...(zone !== undefined && { timeZone: zone }),
  }).format(at);
}

const year = (at: Date, reader: Reader) => format(at, reader, { year: "numeric" });

/** `22 December`, and `22 December 2025` when that is another year than now. */
export function day(at: string, reader: Reader): string {
  const date = new Date(at);
  const isThisYear = year(date, reader) === year(reader.now, reader);
  return format(date, reader, { day: "numeric", month: "long", ...(!isThisYear && { year: "numeric" }) });
}

/** `14:02`. */
export function clock(at: string, reader: Reader): string {
  return format(new Date(at), reader, { hour: "2-digit", minute: "2-digit" });
}

/** `at 14:02` on the same day, else `on 22 November at 14:02`. */
export function moment(at: string, reader: Reader): string {
  const time = `at ${clock(at, reader)}`;
  return isSameDay(at, reader.now.toISOString(), reader) ? time : `on ${day(at, reader)} ${time}`;
}

/** The moments of one sentence, in turn. A day is said once: a time without one is on the day said last, or today. */
export class Moments {
  readonly #reader: Reader;
  #said: string;

  constructor(reader: Reader) {
    this.#reader = reader;
    this.#said = reader.now.toISOString();
  }

  /** `at 14:02`, `today at 14:02` behind another day, or `on 22 November at 14:02`. */
  at(time: string): string {
    const [before, after] = this.#turnTo(time);
    return `${before === undefined ? "" : `${before} `}at ${after}`;
  }

  /** `since 14:02`, `since today at 14:02` behind another day, or `since 22 November at 14:02`. */
  since(time: string): string {
    const [before, after] = this.#turnTo(time);
    return before === undefined ? `since ${after}` : `since ${before.replace(/^on /, "")} at ${after}`;
  }

  /** `22 December`. */
  day(time: string): string {
    return day(time, this.#reader);
  }

  /** The day, undefined if it need not be said, and the time of day. */
  #turnTo(time: string): readonly [day: string | undefined, clock: string] {
    const reader = this.#reader;
    const said = this.#said;
    this.#said = time;
    if (isSameDay(time, said, reader)) return [undefined, clock(time, reader)];
    const isToday = isSameDay(time, reader.now.toISOString(), reader);
    return [isToday ? "today" : `on ${day(time, reader)}`, clock(time, reader)];
  }
}

function isSameDay(one: string, other: string, reader: Reader): boolean {
  const date = (at: string) => format(new Date(at), reader, { dateStyle: "short" });
  return date(one) === date(other);
}

/** `1,000`. */
export function inGroups(number: number): string {
  return number.toLocaleString(LANGUAGE);
}

/** `1 stamp`, `2 stamps`, `1,000 stamps`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${inGroups(number)} ${number === 1 ? one : many}`;
}

/** `a, b and c`. */
export function list(parts: readonly string[]): string {
  return new Intl.ListFormat(LANGUAGE, { type: "conjunction" }).format(parts);
}

/** With a capital letter and a full stop. */
export function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(whole) ? whole : `${whole}.`;
}
