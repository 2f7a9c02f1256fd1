import fc from "fast-check";
import t from "tap";
import { Temporal } from "temporal-polyfill";
import { isTimestamp } from "#domain";
import { isTimeZone, LocalTimes, type WallTime } from "./local-time.ts";

/** Zones with daylight saving in both hemispheres, of half hours, of a half hour's saving, and without any. */
const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "America/Sao_Paulo",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "Africa/Casablanca",
  "UTC",
];
const zones = fc.constantFrom(...ZONES);
const BEGIN = Date.UTC(2000, 0, 2);
const END = Date.UTC(2100, 0, 1);
const instants = fc.integer({ min: BEGIN, max: END }).map((ms) => Temporal.Instant.fromEpochMilliseconds(ms));

function wall(time: Temporal.PlainDateTime): WallTime {
  const { year, month, day, hour, minute, second, millisecond } = time;
  return { year, month, day, hour, minute, second, fraction: String(millisecond).padStart(3, "0") };
}

t.test("local times - a clock's reading gives its instant, or is ambiguous", async () => {
  fc.assert(
    fc.property(instants, zones, (instant, zone) => {
      const shown = wall(instant.toZonedDateTimeISO(zone).toPlainDateTime());
      const read = (disambiguation: "reject" | "earlier" | "later") => {
        const text = new LocalTimes(zone, disambiguation).toTimestamp(shown);
        return isTimestamp(text) ? Temporal.Instant.from(text) : undefined;
      };
      const either = [read("earlier"), read("later")].some((one) => one?.equals(instant));
      let strict: Temporal.Instant | undefined;
      try {
        strict = read("reject");
      } catch (error) {
        return either && /is a time that was twice in/.test((error as Error).message);
      }
      return either && strict?.equals(instant) === true;
    }),
    { numRuns: 500 },
  );
});

t.test("local times - around every clock change, skipped and repeated times are reported", async (t) => {
  for (const zone of ZONES) {
    let at = Temporal.Instant.fromEpochMilliseconds(Date.UTC(2020, 0, 1)).toZonedDateTimeISO(zone);
    for (let next = at.getTimeZoneTransition("next"); next !== null && next.year < 2024; ) {
      at = next;
      const before = at.subtract({ nanoseconds: 1 });
      const minutes = (at.offsetNanoseconds - before.offsetNanoseconds) / 60e9;
      const middle = at.toPlainDateTime().subtract({ minutes: minutes / 2 });
      const words = minutes > 0 ? "never was in" : "was twice in";
      t.throws(() => new LocalTimes(zone, "reject").toTimestamp(wall(middle)), {
        message: `is a time that ${words} ${zone}`,
      });
      next = at.getTimeZoneTransition("next");
    }
  }
});

t.test("local times - an hour in spring is skipped, an hour in autumn comes twice", async (t) => {
  const spring = { year: 2026, month: 3, day: 29, hour: 2, minute: 30, second: 15, fraction: "" };
  const autumn = { ...spring, month: 10, day: 25 };
  const berlin = (how: "reject" | "earlier" | "later" | "compatible") => new LocalTimes("Europe/Berlin", how);
  const detail = (text: string) => ({ name: "UnreadableValue", detail: text });
  t.throws(
    () => berlin("reject").toTimestamp(spring),
    detail(
      "2026-03-29T02:30 was skipped when clocks went forward: it would be 2026-03-29T01:30+01:00 or 2026-03-29T03:30+02:00",
    ),
  );
  t.throws(
    () => berlin("reject").toTimestamp(autumn),
    detail("2026-10-25T02:30 was 2026-10-25T02:30+02:00 and, after clocks went back, 2026-10-25T02:30+01:00"),
  );
  t.equal(berlin("compatible").toTimestamp(spring), "2026-03-29T03:30:15+02:00");
  t.equal(berlin("earlier").toTimestamp(autumn), "2026-10-25T02:30:15+02:00");
  t.equal(berlin("later").toTimestamp(autumn), "2026-10-25T02:30:15+01:00");
  t.equal(berlin("later").toTimestamp({ ...autumn, hour: 3 }), "2026-10-25T03:30:15+01:00");
});

t.test("local times - 30 February, hour 25 and second 60 do not exist, also when repeated", async (t) => {
  const zone = new LocalTimes("Europe/Berlin", "compatible");
  const time = { year: 2026, month: 2, day: 28, hour: 12, minute: 0, second: 0, fraction: "5" };
  t.equal(zone.toTimestamp(time), "2026-02-28T12:00:00.5+01:00");
  for (const wrong of [{ day: 30 }, { hour: 25 }, { month: 13 }, { second: 60 }]) {
    for (let i = 0; i < 2; i++)
      t.throws(() => zone.toTimestamp({ ...time, ...wrong }), { message: "is no date and time" });
  }
});

t.test("time zones - are recognised by their IANA names", async (t) => {
  for (const name of [...ZONES, "CET", "Etc/GMT+5"]) t.ok(isTimeZone(name), name);
  for (const name of ["Mars/Base", "+01:00", "", "Berlin", "local"]) t.notOk(isTimeZone(name), name);
});
