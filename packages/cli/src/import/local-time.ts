import { LRUCache } from "lru-cache";
import { Temporal } from "temporal-polyfill";
import { UnreadableValue } from "./source-row.ts";

/** The instant of a local time that clocks showed twice, or skipped; as in Temporal. */
export const DISAMBIGUATIONS = ["reject", "earlier", "later", "compatible"] as const;
export type Disambiguation = (typeof DISAMBIGUATIONS)[number];

/** Minutes in the cache of offsets: a week's. The rows of a file are close together in time. */
const MINUTES_REMEMBERED = 10_080;

/** The reading of a clock. `fraction`: of the second, without the point. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly fraction: string;
}

/** Turns local times of one zone into timestamps with an offset. */
export class LocalTimes {
  readonly zone: string;
  readonly #disambiguation: Disambiguation;
  /** By minute: offsets change at full minutes. */
  readonly #known = new LRUCache<string, Resolved | UnreadableValue>({ max: MINUTES_REMEMBERED });

  /** @param zone an IANA name for which `isTimeZone` holds */
  constructor(zone: string, disambiguation: Disambiguation) {
    this.zone = zone;
    this.#disambiguation = disambiguation;
  }

  /**
   * The timestamp with its offset: `2026-03-01T10:00:00+01:00`.
   * @throws UnreadableValue for an impossible date, and for a time that clocks skipped or showed twice, unless the map chooses
   * an instant
   */
  toTimestamp(time: WallTime): string {
    const { year, month, day, hour, minute, second, fraction } = time;
    const key = `${year}-${month}-${day}T${hour}:${minute}`;
    let resolved = this.#known.get(key);
    if (resolved === undefined) {
      resolved = this.#resolve(year, month, day, hour, minute);
      this.#known.set(key, resolved);
    }
    if (resolved instanceof UnreadableValue) throw resolved;
    if (second > 59) throw new UnreadableValue(NO_TIME);
    const decimals = fraction === "" ? "" : `.${fraction}`;
    return `${resolved.minute}:${String(second).padStart(2, "0")}${decimals}${resolved.offset}`;
  }

  #resolve(year: number, month: number, day: number, hour: number, minute: number) {
    let local: Temporal.PlainDateTime;
    try {
      local = new Temporal.PlainDateTime(year, month, day, hour, minute);
    } catch {
      return new UnreadableValue(NO_TIME);
    }
    const earlier = local.toZonedDateTime(this.zone, { disambiguation: "earlier" });
    const later = local.toZonedDateTime(this.zone, { disambiguation: "later" });
    const isUnique = Temporal.Instant.compare(earlier.toInstant(), later.toInstant()) === 0;
    if (!isUnique && this.#disambiguation === "reject") return this.#ambiguous(local, earlier, later);
    const chosen = local.toZonedDateTime(this.zone, { disambiguation: this.#disambiguation });
    return { minute: chosen.toPlainDateTime().toString({ smallestUnit: "minute" }), offset: chosen.offset };
  }

  #ambiguous(
    local: Temporal.PlainDateTime,
    earlier: Temporal.ZonedDateTime,
    later: Temporal.ZonedDateTime,
  ): UnreadableValue {
    const shown = local.toString({ smallestUnit: "minute" });
    // In a gap both readings differ from the written one.
    if (!earlier.toPlainDateTime().equals(local)) {
      return new UnreadableValue(
        `is a time that never was in ${this.zone}`,
        `${shown} was skipped when clocks went forward: it would be ${instant(earlier)} or ${instant(later)}`,
      );
    }
    return new UnreadableValue(
      `is a time that was twice in ${this.zone}`,
      `${shown} was ${instant(earlier)} and, after clocks went back, ${instant(later)}`,
    );
  }
}

interface Resolved {
  /** Of the chosen reading, which differs from the written one in a gap. */
  readonly minute: string;
  readonly offset: string;
}

export const NO_TIME = "is no date and time";

function instant(time: Temporal.ZonedDateTime): string {
  return time.toString({ timeZoneName: "never", smallestUnit: "minute" });
}

export function isTimeZone(name: string): boolean {
  // An offset such as +01:00 is refused: as a country's time it would be wrong for half of the year.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
