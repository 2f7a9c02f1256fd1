import fc from "fast-check";
import t from "tap";
import { LocalTimes } from "./local-time.ts";
import { formatFault, timeReader } from "./time-format.ts";

const BERLIN = new LocalTimes("Europe/Berlin", "reject");

t.test("iso - takes a space for the T, absent seconds, and an offset in any of its forms", async (t) => {
  const read = timeReader("iso", undefined);
  const same: Record<string, string> = {
    "2026-03-01T10:00:00Z": "2026-03-01T10:00:00Z",
    "2026-03-01 10:00:00.123456Z": "2026-03-01T10:00:00.123456Z",
    "2026-03-01t10:00:00,5z": "2026-03-01T10:00:00.5Z",
    "2026-03-01T10:00+0130": "2026-03-01T10:00:00+01:30",
    "2026-03-01 10:00:00 -05:00": "2026-03-01T10:00:00-05:00",
  };
  for (const [written, timestamp] of Object.entries(same)) t.equal(read(written), timestamp);
  t.throws(() => read("2026-03-01T10:00:00"), { message: /^has no offset: time.zone of the map/ });
  for (const wrong of ["", "01.03.2026 10:00", "2026-3-1 10:00", 20260301]) t.throws(() => read(wrong));
});

t.test("iso - a time with an offset keeps it in every zone", async (t) => {
  const read = timeReader("iso", BERLIN);
  t.equal(read("2026-07-01 10:00:00"), "2026-07-01T10:00:00+02:00");
  t.equal(read("2026-07-01 10:00:00Z"), "2026-07-01T10:00:00Z");
});

t.test("patterns - read the times that they wrote, in any order", async (t) => {
  const pattern = timeReader("DD.MM.YYYY HH:mm:ss", BERLIN);
  t.equal(pattern("01.03.2026 09:08:07"), "2026-03-01T09:08:07+01:00");
  t.equal(timeReader("YYYYMMDDHHmm", BERLIN)("202603010908"), "2026-03-01T09:08:00+01:00");
  t.equal(
    timeReader("MM/DD/YYYY HH:mm:ss.S", BERLIN)("03/01/2026 09:08:07.25"),
    "2026-03-01T09:08:07.25+01:00",
  );
  for (const wrong of ["1.3.2026 09:08:07", "01.03.2026", "01.03.2026 09:08:07 ", "01x03x2026 09:08:07"]) {
    t.throws(() => pattern(wrong), { message: "is not as DD.MM.YYYY HH:mm:ss" });
  }
});

t.test("epochs - are instants, in seconds or milliseconds, as text or as a number", async () => {
  const seconds = fc.integer({ min: 946_684_800, max: 4_133_980_799 });
  fc.assert(
    fc.property(seconds, (at) => {
      const timestamp = new Date(at * 1000).toISOString();
      const forms = [at, String(at)];
      return (
        forms.every((form) => timeReader("epoch_seconds", undefined)(form) === timestamp) &&
        timeReader("epoch_milliseconds", undefined)(at * 1000) === timestamp
      );
    }),
  );
  t.throws(() => timeReader("epoch_seconds", undefined)("1772352000000"), {
    message: "is after the year 2100",
  });
  t.throws(() => timeReader("epoch_seconds", undefined)(1.5), { message: /no whole number/ });
});

t.test("formats - a format without a day or an hour, or with two of them, is refused", async (t) => {
  for (const format of ["iso", "epoch_seconds", "DD.MM.YYYY HH:mm"]) t.equal(formatFault(format), undefined);
  t.match(formatFault("DD.MM.YY HH:mm"), /YYYY missing/);
  t.match(formatFault("YYYY-MM-DD"), /HH, mm missing/);
  t.match(formatFault("unix"), /must be iso, epoch_seconds/);
  t.match(formatFault("YYYY-MM-DD HH:mm YYYY"), /twice/);
});
