import { setImmediate } from "node:timers/promises";
import t from "tap";
import { LIMITS } from "#contract";
import type { Batch } from "./batch.ts";
import { Publications } from "./publications.ts";

t.test("regression - all large batches that waited for one publication were published at once", async (t) => {
  const letGo: (() => void)[] = [];
  const seen = { underWay: 0, most: 0, begun: 0 };
  const publications = new Publications({
    steps: {
      publish: async () => {
        seen.begun++;
        seen.most = Math.max(seen.most, ++seen.underWay);
        await new Promise<void>((resolve) => letGo.push(resolve));
        seen.underWay--;
      },
      move: () => {},
    },
    pause: async () => {},
    isStopping: () => false,
  });
  const large = {
    rows: LIMITS.rowsPerBatch,
    entries: [],
    span: undefined,
    end: () => {},
  } as unknown as Batch;
  const lanes = Array.from({ length: 3 }, async () => {
    const { published } = await publications.begin(large, { results: [] });
    await published;
  });
  for (let batch = 1; batch <= lanes.length; batch++) {
    await setImmediate();
    t.equal(seen.begun, batch);
    letGo.shift()?.();
  }
  await Promise.all(lanes);
  t.equal(seen.most, 1, "memory is bounded by the one that is published");
});
