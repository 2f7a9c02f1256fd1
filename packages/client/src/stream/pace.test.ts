import t from "tap";
import { Pace } from "./pace.ts";

const busy = { busy: true, retryAfterMs: 0 };
const lost = { busy: false, retryAfterMs: 0 };

function answerTimes(pace: Pace, times: number): void {
  for (let i = 0; i < times; i++) pace.answered();
}

t.test("pace - a busy service halves the number of open requests, down to one", async (t) => {
  const pace = new Pace(8, () => 100);
  const limits = Array.from({ length: 4 }, () => {
    pace.failed({ begun: pace.begin(), ...busy }, 0);
    return pace.limit;
  });
  t.strictSame(limits, [4, 2, 1, 1]);
});

t.test("pace - requests that were under way together are one setback", async (t) => {
  const pauses: number[] = [];
  const pace = new Pace(8, (failures) => {
    pauses.push(failures);
    return 100;
  });
  const begun = Array.from({ length: 8 }, () => pace.begin());
  for (const one of begun) pace.failed({ begun: one, ...busy }, 0);
  t.equal(pace.limit, 4);
  t.strictSame(pauses, [1]);
});

t.test("pace - it grows by one after ten answers for each request that may be open", async (t) => {
  const pace = new Pace(4, () => 100);
  pace.failed({ begun: pace.begin(), ...busy }, 0);
  pace.failed({ begun: pace.begin(), ...busy }, 0);
  t.equal(pace.limit, 1);
  answerTimes(pace, 9);
  t.equal(pace.limit, 1);
  answerTimes(pace, 1);
  t.equal(pace.limit, 2);
  answerTimes(pace, 20 + 30);
  t.equal(pace.limit, 4);
  answerTimes(pace, 1_000);
  t.equal(pace.limit, 4, "and no further than it was");
});

t.test("pace - a lost connection pauses, and does not halve", async (t) => {
  const pace = new Pace(4, () => 100);
  t.equal(pace.failed({ begun: pace.begin(), ...lost }, 1_000), 100);
  t.equal(pace.limit, 4);
  t.equal(pace.waitMs(1_060), 40);
  t.equal(pace.waitMs(1_200), 0);
});

t.test("pace - failures in a row are counted until something is answered", async (t) => {
  const pace = new Pace(4, (failures) => failures * 100);
  const pause = () => pace.failed({ begun: pace.begin(), ...lost }, 0);
  t.strictSame([pause(), pause(), pause()], [100, 200, 300]);
  pace.answered();
  t.equal(pace.failed({ begun: pace.begin(), ...lost }, 1_000), 100);
});

t.test(
  "pace - retry-after makes the pause longer, also of a request that was part of the setback",
  async (t) => {
    const pace = new Pace(4, () => 100);
    const [first, second] = [pace.begin(), pace.begin()];
    t.equal(pace.failed({ begun: first, busy: true, retryAfterMs: 3_000 }, 0), 3_000);
    t.equal(pace.failed({ begun: second, busy: true, retryAfterMs: 5_000 }, 0), 5_000);
    t.equal(pace.limit, 2);
  },
);
