import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { isTimestamp, toUtcMicroseconds } from "./timestamp.ts";

/** Accepted texts and the same instant in UTC. */
const ACCEPTED = {
  "2026-01-31T09:30:00Z": "2026-01-31T09:30:00.000000Z",
  "2026-01-31t09:30:00z": "2026-01-31T09:30:00.000000Z",
  "2026-01-31T09:30:00.1Z": "2026-01-31T09:30:00.100000Z",
  "2026-01-31T09:30:00.123456Z": "2026-01-31T09:30:00.123456Z",
  "2026-01-31T09:30:00.123456789Z": "2026-01-31T09:30:00.123456Z",
  "2026-01-31T09:30:00.999999999Z": "2026-01-31T09:30:00.999999Z",
  "2026-01-31T09:30:00.000000001Z": "2026-01-31T09:30:00.000000Z",
  // Offsets, up to the widest that RFC 3339 can write.
  "2026-01-31T09:30:00+00:00": "2026-01-31T09:30:00.000000Z",
  "2026-01-31T09:30:00-00:00": "2026-01-31T09:30:00.000000Z",
  "2026-01-31T09:30:00+05:45": "2026-01-31T03:45:00.000000Z",
  "2026-01-31T00:15:00+02:00": "2026-01-30T22:15:00.000000Z",
  "2026-12-31T23:30:00-01:00": "2027-01-01T00:30:00.000000Z",
  "2026-01-31T23:59:59+23:59": "2026-01-31T00:00:59.000000Z",
  "2026-01-31T00:00:00-23:59": "2026-01-31T23:59:00.000000Z",
  // The first and the last moment, by the year of UTC.
  "2000-01-01T00:00:00Z": "2000-01-01T00:00:00.000000Z",
  "2000-01-01T14:00:00+14:00": "2000-01-01T00:00:00.000000Z",
  "1999-12-31T23:00:00-01:00": "2000-01-01T00:00:00.000000Z",
  "1999-12-31T00:01:00-23:59": "2000-01-01T00:00:00.000000Z",
  "2100-12-31T23:59:59.999999Z": "2100-12-31T23:59:59.999999Z",
  "2100-12-31T22:59:59.999999999-01:00": "2100-12-31T23:59:59.999999Z",
  "2101-01-01T00:59:59+01:00": "2100-12-31T23:59:59.000000Z",
  "2101-01-01T23:58:59+23:59": "2100-12-31T23:59:59.000000Z",
  // Leap years: every fourth, not 2100, but 2000.
  "2000-02-29T12:00:00Z": "2000-02-29T12:00:00.000000Z",
  "2024-02-29T12:00:00Z": "2024-02-29T12:00:00.000000Z",
  // A leap second ends a UTC day, whatever the local time; it becomes the next second.
  "2016-12-31T23:59:60Z": "2017-01-01T00:00:00.000000Z",
  "2016-12-31T23:59:60.75Z": "2017-01-01T00:00:00.750000Z",
  "2017-01-01T05:29:60+05:30": "2017-01-01T00:00:00.000000Z",
  "2016-12-31T15:59:60-08:00": "2017-01-01T00:00:00.000000Z",
};

for (const [text, utc] of Object.entries(ACCEPTED)) {
  t.test(`timestamp - ${text} is ${utc}`, async (t) => {
    t.ok(isTimestamp(text));
    t.equal(toUtcMicroseconds(text), utc);
  });
}

const REFUSED = {
  "no offset": ["2026-01-31T09:30:00", "2026-01-31T09:30:00.123"],
  "not the format": [
    "",
    "now",
    "1767225600",
    "2026-01-31",
    "2026-01-31T09:30Z",
    "2026-01-31 09:30:00Z",
    "20260131T093000Z",
    "2026-1-31T09:30:00Z",
    "+002026-01-31T09:30:00Z",
    "26-01-31T09:30:00Z",
    "2026-031T09:30:00Z",
    "2026-W05-6T09:30:00Z",
    "Sat, 31 Jan 2026 09:30:00 GMT",
    " 2026-01-31T09:30:00Z",
    "2026-01-31T09:30:00Z ",
    "2026-01-31T09:30:00Z\n",
    "2026-01-31T09:30:00Z\u0000",
    "２０２６-01-31T09:30:00Z",
    "2026-01-31T09:30:00ZZ",
    "2026-01-31T09:30:00Z[Europe/Stockholm]",
  ],
  "a wrong fraction": ["2026-01-31T09:30:00.Z", "2026-01-31T09:30:00,5Z", "2026-01-31T09:30:00.1234567890Z"],
  "a wrong offset": [
    "2026-01-31T09:30:00+01",
    "2026-01-31T09:30:00+0100",
    "2026-01-31T09:30:00+1:00",
    "2026-01-31T09:30:00+24:00",
    "2026-01-31T09:30:00+01:60",
    "2026-01-31T09:30:00±01:00",
    "2026-01-31T09:30:00\u221201:00",
    "2026-01-31T09:30:00+01:00:00",
  ],
  "a year outside 2000 to 2100": ["1999-12-31T23:59:59Z", "2101-01-01T00:00:00Z", "0026-01-31T09:30:00Z"],
  "a year outside 2000 to 2100 in UTC": [
    "2000-01-01T00:00:00+14:00",
    "2000-01-01T00:00:59.999999999+00:01",
    "2000-01-01T23:58:59+23:59",
    "1999-12-31T22:59:59-01:00",
    "2100-12-31T23:59:59-00:01",
    "2100-12-31T00:01:00-23:59",
    "2101-01-01T01:00:00+01:00",
  ],
  "a leap second that is not of these years, or is kept as one that is not": [
    "1999-12-31T23:59:60Z",
    "2000-01-01T13:59:60+14:00",
    "2100-12-31T23:59:60Z",
    "2100-12-31T15:59:60-08:00",
    "2101-01-01T05:29:60+05:30",
  ],
  "a day that the month does not have": [
    "2026-00-10T09:30:00Z",
    "2026-13-10T09:30:00Z",
    "2026-01-00T09:30:00Z",
    "2026-01-32T09:30:00Z",
    "2026-04-31T09:30:00Z",
    "2026-02-29T09:30:00Z",
    "2024-02-30T09:30:00Z",
    "2100-02-29T09:30:00Z",
  ],
  "a time that the day does not have": [
    "2026-01-31T24:00:00Z",
    "2026-01-31T09:60:00Z",
    "2026-01-31T09:30:61Z",
  ],
  "a leap second by day": [
    "2016-12-31T12:59:60Z",
    "2016-12-31T23:58:60Z",
    "2016-12-31T23:59:60+01:00",
    "2017-01-01T05:29:60-05:30",
  ],
};

for (const [why, texts] of Object.entries(REFUSED)) {
  t.test(`timestamp - refused: ${why}`, async (t) => {
    for (const text of texts) t.notOk(isTimestamp(text), JSON.stringify(text));
  });
}

t.test("timestamp - a text that is none is not converted", async (t) => {
  t.throws(() => toUtcMicroseconds("2026-01-31"), RangeError);
});

const instants = fc.date({
  min: new Date("2000-01-01T00:00:00Z"),
  max: new Date("2100-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});
const offsets = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 });

/** The instant as a clock at this offset from UTC (in minutes) shows it. */
function written(instant: Date, offset: number): string {
  const local = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, -1);
  const minutes = Math.abs(offset);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

t.test("timestamp - every text of Date, at every offset, is the same instant", async () => {
  fc.assert(
    fc.property(instants, offsets, (instant, offset) => {
      const text = written(instant, offset);
      assert.ok(isTimestamp(text), text);
      assert.equal(Date.parse(text), instant.getTime(), "Date reads it so too");
      assert.equal(toUtcMicroseconds(text), `${instant.toISOString().slice(0, -1)}000Z`, text);
    }),
    { numRuns: 500 },
  );
});

t.test("timestamp - a date exists exactly when the calendar has it", async () => {
  const parts = fc.tuple(
    fc.integer({ min: 1999, max: 2101 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
  );
  const two = (n: number) => String(n).padStart(2, "0");
  fc.assert(
    fc.property(parts, ([year, month, day]) => {
      const date = new Date(Date.UTC(year, month - 1, day));
      const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
      const text = `${year}-${two(month)}-${two(day)}T12:00:00Z`;
      assert.equal(isTimestamp(text), exists && year >= 2000 && year <= 2100, text);
    }),
    { numRuns: 500 },
  );
});

t.test(
  "timestamp - at both borders, at every offset, an accepted text is also accepted as stored",
  async () => {
    const near = (border: string) =>
      fc.integer({ min: -2 * 86_400, max: 2 * 86_400 }).map((s) => Date.parse(border) + s * 1000);
    const moments = fc.oneof(
      near("2000-01-01T00:00:00Z"),
      near("2101-01-01T00:00:00Z"),
      fc.constantFrom(
        Date.parse("2000-01-01T00:00:00Z"),
        Date.parse("1999-12-31T23:59:59Z"),
        Date.parse("2101-01-01T00:00:00Z"),
        Date.parse("2100-12-31T23:59:59Z"),
      ),
    );
    const fractions = fc.stringMatching(/^(\.[0-9]{1,9})?$/);
    const seconds = fc.constantFrom(undefined, "60");
    fc.assert(
      fc.property(moments, offsets, fractions, seconds, (moment, offset, fraction, second) => {
        const plain = written(new Date(moment), offset);
        const text = `${plain.slice(0, 17)}${second ?? plain.slice(17, 19)}${fraction}${plain.slice(23)}`;
        const year = new Date(moment).getUTCFullYear();
        if (second === undefined) assert.equal(isTimestamp(text), year >= 2000 && year <= 2100, text);
        if (isTimestamp(text)) assert.ok(isTimestamp(toUtcMicroseconds(text)), text);
      }),
      { numRuns: 3000 },
    );
  },
);

t.test("timestamp - equal instants have equal texts, and texts sort as instants do", async () => {
  fc.assert(
    fc.property(instants, instants, offsets, offsets, (a, b, offsetA, offsetB) => {
      const [textA, textB] = [toUtcMicroseconds(written(a, offsetA)), toUtcMicroseconds(written(b, offsetB))];
      assert.equal(textA < textB, a.getTime() < b.getTime());
      assert.equal(textA === textB, a.getTime() === b.getTime());
    }),
    { numRuns: 200 },
  );
});

t.test(
  "timestamp - one in UTC is judged like the same one at the offset zero, whatever its fault",
  async () => {
    const fraction = fc.option(fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 10 }));
    const damage = fc.option(fc.tuple(fc.nat(30), fc.constantFrom(..."0123456789-:.TtZ +/é")), { freq: 2 });
    const time = fc.tuple(instants, fraction, damage).map(([instant, digits, change]) => {
      const text = `${instant.toISOString().slice(0, 19)}${digits === null ? "" : `.${digits}`}`;
      return change === null ? text : text.slice(0, change[0]) + change[1] + text.slice(change[0] + 1);
    });
    fc.assert(
      fc.property(time, (text) => {
        assert.equal(isTimestamp(`${text}Z`), isTimestamp(`${text}+00:00`), text);
      }),
      { numRuns: 5_000 },
    );
  },
);
