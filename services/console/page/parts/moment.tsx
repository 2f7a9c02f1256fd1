/** How much of a moment is written. */
type Grain = "second" | "minute" | "day";

/** In the browser's zone. Times stand in columns, so all parts have two digits. */
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

/** A time in the zone of the browser: `2026-11-23 14:02:07`. The title has it in UTC to the millisecond. */
export function Moment({ at, grain = "second" }: MomentProps) {
  if (at === undefined || at === null) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={new Date(at).toISOString()} class="moment">
      {FORMATS[grain].format(new Date(at))}
    </time>
  );
}
