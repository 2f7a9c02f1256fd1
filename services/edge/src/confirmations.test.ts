import t from "tap";
import { LIMITS } from "#contract";
import type { IngestConfirmation, PartKey } from "#contract/ingest";
import type { Stream } from "#nats";
import { waitFor } from "#test-support";
import { Confirmations } from "./confirmations.ts";

interface Sent {
  readonly to: string;
  readonly said: IngestConfirmation;
}

function setUp() {
  const sent: Sent[] = [];
  const publish = (to: string, payload: string) => void sent.push({ to, said: JSON.parse(payload) });
  const confirmations = new Confirmations({ nats: { publish } } as unknown as Stream);
  return { sent, confirmations };
}

const asked = (confirm: string, batch: string) => ({ confirm, key: [batch, 0] as PartKey });

t.test("confirmations - those of many requests go to each ingest process as one message", async (t) => {
  const { sent, confirmations } = setUp();
  for (const batch of ["a", "b", "c"]) confirmations.told(batch, [asked("one", batch)], false);
  confirmations.told("d", [asked("other", "d")], true);
  confirmations.late([asked("other", "e")]);
  t.strictSame(sent, [], "they gather");
  confirmations.flush();
  const keys = (...batches: string[]) => batches.map((batch) => [batch, 0]);
  t.strictSame(sent, [
    { to: "one", said: { told: keys("a", "b", "c"), late: [] } },
    { to: "other", said: { told: keys("d"), late: [] } },
    { to: "other", said: { told: [], late: keys("e") } },
  ]);
  confirmations.flush();
  t.equal(sent.length, 3, "each once");
});

t.test("confirmations - they leave by themselves, after a flush too", async (t) => {
  const { sent, confirmations } = setUp();
  for (const batch of ["a", "b"]) {
    confirmations.told(batch, [asked("one", batch)], false);
    await waitFor(() => sent.at(-1)?.said.told[0]?.[0] === batch, { message: "nothing is sent" });
    confirmations.told(`${batch} again`, [asked("one", `${batch} again`)], false);
    confirmations.flush();
  }
  t.equal(sent.length, 4);
});

t.test("confirmations - a report that comes again is told as it was told before, or is late", async (t) => {
  const { sent, confirmations } = setUp();
  confirmations.told("a", [], true);
  for (const batch of ["a", "b"]) confirmations.again(asked("one", batch));
  confirmations.flush();
  t.strictSame(
    sent.map(({ said }) => said),
    [
      { told: [["a", 0]], late: [] },
      { told: [], late: [["b", 0]] },
    ],
  );
});

t.test("confirmations - a message names so many parts at most", async (t) => {
  const { sent, confirmations } = setUp();
  const many = Array.from({ length: LIMITS.partsPerConfirmation + 1 }, (_, n) => asked("one", `${n}`));
  confirmations.late(many);
  confirmations.flush();
  t.strictSame(
    sent.map(({ said }) => said.late.length),
    [LIMITS.partsPerConfirmation, 1],
  );
});
