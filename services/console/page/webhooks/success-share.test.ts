import t from "tap";
import { successShare, writeShare } from "./success-share.ts";

t.test("success share - counts deliveries with an attempt; a split one counts by its parts", async (t) => {
  const share = successShare([
    { state: "delivered", attempts: 1 },
    { state: "delivered", attempts: 3 },
    { state: "pending", attempts: 2 },
    { state: "failed", attempts: 10 },
    { state: "pending", attempts: 0 },
    { state: "split", attempts: 10 },
  ]);
  t.strictSame(share, { arrived: 2, tried: 4 });
  t.equal(writeShare(share), "50 %");
});

t.test("success share - says 100 % only if all arrived, and nothing if nothing was tried", async (t) => {
  t.equal(writeShare({ arrived: 100, tried: 100 }), "100 %");
  t.equal(writeShare({ arrived: 9999, tried: 10_000 }), "99.9 %");
  t.equal(writeShare({ arrived: 2, tried: 3 }), "66.6 %");
  t.equal(writeShare({ arrived: 0, tried: 7 }), "0 %");
  t.equal(writeShare({ arrived: 0, tried: 0 }), "–");
});
