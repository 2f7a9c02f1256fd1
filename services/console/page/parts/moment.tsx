/** How much of a moment is written. */
type Grain = "second" | "minute" | "day";

/** The browser's own zone. Numbers stand in columns, so all parts have two digits. */
const FORMATS: Readonly<Record<Grain, Intl.DateTimeFormat>> = {
  second: format({ hour: "2-digit", minute: "2-digit", second: "2-digit" }),
  minute: format({ hour: "2-digit", minute: "2-digit" }),
  day: format({}),
};

function format(time: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const date = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  return new Intl.DateTimeFormat("sv-SE", { ...date, ...time, hourCycle: "h23" });
}

interface MomentProps {
  /** ISO 8601. */
  readonly at: string | undefined | null;
  readonly grain?: Grain;
}

/** A time, in the zone of who reads it: `2026-11-23 14:02:07`. The title has it in UTC to the millisecond. */
export function Moment({ at, grain = "second" }: MomentProps) {
  if (at === undefined || at === null) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={new Date(at).toISOString()} class="moment">
      {FORMATS[grain].format(new Date(at))}
    </time>
  );
}

/** `14:02`, for sentences; with the day before it, if that is not today. @param now for tests */
export function clockTime(at: string, now = new Date()): string {
  const day = FORMATS.day.format(new Date(at));
  const text = FORMATS.minute.format(new Date(at));
  return day === FORMATS.day.format(now) ? text.slice(day.length).trim() : text;
}
