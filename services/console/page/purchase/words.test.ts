import t from "tap";
import { clock, count, day, list, Moments, moment, type Reader, sentence } from "./words.ts";

const reader: Reader = { now: new Date("2026-11-23T14:30:00Z"), zone: "Europe/London" };
const inTokyo: Reader = { ...reader, zone: "Asia/Tokyo" };

t.test("words - a moment of today has no date, one of this year no year", async (t) => {
  t.equal(moment("2026-11-23T14:02:59.999Z", reader), "at 14:02");
  t.equal(moment("2026-11-22T23:59:00Z", reader), "on 22 November at 23:59");
  t.equal(moment("2025-12-31T09:05:00Z", reader), "on 31 December 2025 at 09:05");
  t.equal(day("2026-12-22T10:00:00Z", reader), "22 December");
  t.equal(day("2027-01-02T10:00:00Z", reader), "2 January 2027");
});

t.test("words - today is a day of the reader's zone", async (t) => {
  t.equal(moment("2026-11-23T14:45:00Z", inTokyo), "at 23:45");
  t.equal(moment("2026-11-23T15:00:00Z", inTokyo), "on 24 November at 00:00");
  t.equal(clock("2026-06-01T12:00:00Z", reader), "13:00", "summer time");
});

t.test("words - the moments of one sentence say each day once", async (t) => {
  const early = new Moments(reader);
  t.equal(early.at("2026-11-20T09:00:00Z"), "on 20 November at 09:00");
  t.equal(early.at("2026-11-20T09:01:00Z"), "at 09:01");
  t.equal(early.since("2026-11-21T09:01:00Z"), "since 21 November at 09:01");
  t.equal(early.at("2026-11-23T10:00:00Z"), "today at 10:00");
  t.equal(early.since("2026-11-23T10:01:00Z"), "since 10:01");
  const today = new Moments(reader);
  t.equal(today.at("2026-11-23T09:00:00Z"), "at 09:00", "before any day is said, it is today");
  t.equal(today.at("2026-11-22T09:00:00Z"), "on 22 November at 09:00");
  t.equal(today.since("2026-11-23T09:00:00Z"), "since today at 09:00");
});

t.test("words - numbers, lists and sentences", async (t) => {
  t.equal(count(0, "stamp"), "0 stamps");
  t.equal(count(1, "stamp"), "1 stamp");
  t.equal(count(1000, "delivery", "deliveries"), "1,000 deliveries");
  t.equal(list(["a", "b", "c"]), "a, b and c");
  t.equal(sentence("no stamp"), "No stamp.");
  t.equal(sentence("Done."), "Done.");
});
