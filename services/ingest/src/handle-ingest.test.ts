import t from "tap";
import { LIMITS } from "#contract";
import type { IngestReply } from "#contract/ingest";
import { type CommittedBatch, IngestSteps } from "./handle-ingest.ts";

/** The reports that edges get for a batch whose messages have these replies. */
function told(events: number, messages: readonly { to: string; awaited?: boolean; batch: string }[]) {
  const sent: { to: string; reply: IngestReply }[] = [];
  const publish = (to: string, text: string) => sent.push({ to, reply: JSON.parse(text) });
  const steps = new IngestSteps({ stream: { nats: { publish } } } as never);
  const heads = messages.map(({ to, awaited = true }) => ({ reply: to, parts: [{ awaited }] }));
  const replies = messages.map(({ batch }) => ({ parts: [{ batch, first: 0 }] }));
  steps.answer({ prepared: { heads, events: { count: events } }, replies } as unknown as CommittedBatch);
  return sent;
}

const part = (batch: string) => ({ batch, first: 0 });

t.test("answer - a small batch makes one report for each edge, in the order of its messages", async (t) => {
  const messages = [
    { to: "edge-1", batch: "a" },
    { to: "edge-2", batch: "b" },
    { to: "edge-1", batch: "c", awaited: false },
    { to: "", batch: "put back" },
    { to: "edge-1", batch: "d" },
  ];
  t.strictSame(told(LIMITS.rowsAtOnce, messages), [
    { to: "edge-1", reply: { parts: [part("a"), part("d")], committed: [["c", 0]] } },
    { to: "edge-2", reply: { parts: [part("b")], committed: [] } },
  ]);
});

t.test(
  "answer - a large batch makes one report for each message: together they may exceed the size of a message",
  async (t) => {
    const messages = [
      { to: "edge-1", batch: "a" },
      { to: "edge-1", batch: "b" },
    ];
    t.equal(told(LIMITS.rowsAtOnce + 1, messages).length, 2);
  },
);
