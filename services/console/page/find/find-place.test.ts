import t from "tap";
import { readPlace } from "./find-place.ts";

const now = new Date(2026, 2, 1, 12);

t.test("place - who, where and when, as far as the text gives them", async (t) => {
  t.strictSame(readPlace("Corner Coffee", now), { who: undefined, place: "Corner Coffee", day: undefined });
  t.strictSame(readPlace("Corner Coffee, yesterday", now), {
    who: undefined,
    place: "Corner Coffee",
    day: "2026-02-28",
  });
  t.strictSame(readPlace("ada, M-1001", now), { who: "ada", place: "M-1001", day: undefined });
  t.strictSame(readPlace("ada , Corner Coffee , Today", now), {
    who: "ada",
    place: "Corner Coffee",
    day: "2026-03-01",
  });
  t.strictSame(readPlace("ada, Corner Coffee, 2026-02-03", now)?.day, "2026-02-03");
});

t.test("place - a text of another form is no place", async (t) => {
  for (const text of ["a, b, c", "a, b, today, d", ",", "a,,today"])
    t.equal(readPlace(text, now), undefined, text);
});
