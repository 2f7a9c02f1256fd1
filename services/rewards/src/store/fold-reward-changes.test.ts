import t from "tap";
import type { RewardChange } from "#domain/rewards";
import { foldRewardChanges } from "./fold-reward-changes.ts";

const fold = (...changes: RewardChange[]) =>
  foldRewardChanges(changes.map((change) => ({ organisationId: "org", memberId: "m", change })));

const made = (redemptionId: string, ...stampIds: string[]): RewardChange => ({
  type: "redemption_made",
  redemptionId,
  stampCollectionId: "sc",
  transactionId: "tx",
  stampIds,
  at: "1",
});
const undone = (redemptionId: string, ...unredeemedStampIds: string[]): RewardChange => ({
  type: "redemption_undone",
  redemptionId,
  unredeemedStampIds,
  at: "2",
});

t.test("fold - the last redemption of a stamp wins, and a voided stamp keeps naming its own", async (t) => {
  const { stamps } = fold(
    made("a", "1", "2", "3"),
    { type: "stamp_voided", stampId: "3", at: "2" },
    undone("a", "1", "2"),
    made("b", "1"),
  );
  t.strictSame(
    [...stamps.values()],
    [
      { id: "1", voidedAt: null, isMoved: true, redemptionId: "b" },
      { id: "2", voidedAt: null, isMoved: true, redemptionId: null },
      { id: "3", voidedAt: "2", isMoved: true, redemptionId: "a" },
    ],
  );
});

t.test("fold - a stamp that is only voided keeps its redemption", async (t) => {
  const { stamps } = fold({ type: "stamp_voided", stampId: "1", at: "2" });
  t.strictSame([...stamps.values()], [{ id: "1", voidedAt: "2", isMoved: false, redemptionId: null }]);
});

t.test("fold - a redemption is made once and undone later, its counter is the last one said", async (t) => {
  const counted = (
    unredeemedPurchases: number,
    threshold: number | null,
    pending: { readonly nowPending?: string[]; readonly noLongerPending?: string[] },
  ): RewardChange => ({
    type: "counter_set",
    stampCollectionId: "sc",
    unredeemedPurchases,
    threshold,
    nowPending: [],
    noLongerPending: [],
    ...pending,
  });
  const {
    madeRedemptions,
    undone: ended,
    collections,
  } = fold(
    counted(2, 2, { nowPending: ["a", "c"], noLongerPending: ["b"] }),
    made("a", "1"),
    undone("a", "1"),
    counted(1, null, { noLongerPending: ["a"] }),
  );
  t.strictSame([[...madeRedemptions.keys()], [...ended]], [["a"], [["a", "2"]]]);
  t.strictSame(
    [...collections],
    [
      [
        "sc",
        {
          nextPosition: null,
          counter: { unredeemedPurchases: 1, threshold: null },
          pending: new Map([
            ["a", false],
            ["c", true],
            ["b", false],
          ]),
        },
      ],
    ],
  );
});
