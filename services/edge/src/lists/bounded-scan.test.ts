import t from "tap";
import { LIMITS } from "#contract";
import { rowsLookedAt, type Scanned, toScannedPage } from "./bounded-scan.ts";

const MOST = LIMITS.rowsPerScan + LIMITS.pageSkipMax;

t.test("scan - a walk that sends its skip with each cursor reads no more for each page", async (t) => {
  let after: string | undefined;
  for (let pages = 1; pages <= 5; pages++) {
    const page = { limit: 10, skip: LIMITS.pageSkipMax, after };
    t.equal(rowsLookedAt(page), MOST);
    // No row meets the condition: only the last one that was looked at comes back.
    const last: Scanned = { isFound: false, place: rowsLookedAt(page), foundUpTo: 0 };
    after = toScannedPage([last], page, () => "key").next;
    t.equal(after, `${pages * LIMITS.pageSkipMax} key`, "all are still to be skipped");
  }
});
