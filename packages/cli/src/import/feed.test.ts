import fc from "fast-check";
import t from "tap";
import { Pace } from "./feed.ts";

t.test("pace - in any span no more events go than the rate and a burst allow", async () => {
  const rates = fc.double({ min: 0.1, max: 100_000, noNaN: true });
  const pauses = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(rates, pauses, (rate, delays) => {
      const pace = new Pace(rate);
      let now = 0;
      const times = delays.map((delay) => {
        now += delay;
        now += pace.takeTurn(now);
        return now;
      });
      // Between the first and the n-th of any consecutive events.
      return times.every((from, i) =>
        times.slice(i).every((to, n) => n <= ((to - from + 50) * rate) / 1000 + 1 + 1e-6),
      );
    }),
  );
});

t.test("pace - an import that is behind is not held up", async (t) => {
  const pace = new Pace(10);
  t.equal(pace.takeTurn(1000), 0);
  t.equal(pace.takeTurn(1000), 50);
  t.equal(pace.takeTurn(5000), 0);
});
