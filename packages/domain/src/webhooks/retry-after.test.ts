import t from "tap";
import { retryAfterMs } from "./retry-after.ts";

const NOW = new Date("1994-11-06T08:49:07.250Z");

t.test("retry-after - seconds, and dates in the three forms of HTTP", async (t) => {
  for (const [header, ms] of [
    ["0", 0],
    ["1", 1000],
    [" 120 ", 120_000],
    ["3600", 3_600_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 29_750],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 29_750],
    ["Sun Nov  6 08:49:37 1994", 29_750],
    ["Sun, 06 Nov 1994 09:49:07 GMT", 3_599_750],
    ["Sun, 06 Nov 1994 08:49:07 GMT", 0],
    ["Sat, 05 Nov 1994 08:49:37 GMT", 0],
  ] as const) {
    t.equal(retryAfterMs(header, NOW), ms, header);
  }
});

t.test("retry-after - what is missing, malformed or more than an hour is not honoured", async (t) => {
  for (const header of [
    undefined,
    "",
    "-1",
    "1.5",
    "1e3",
    "0x10",
    "3601",
    "99999999999999999999",
    "soon",
    "10 seconds",
    "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 08:49:37 +0100",
    "Sun, 99 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 09:49:08 GMT",
    "Mon, 07 Nov 1994 08:49:37 GMT",
  ]) {
    t.equal(retryAfterMs(header, NOW), null, String(header));
  }
});
