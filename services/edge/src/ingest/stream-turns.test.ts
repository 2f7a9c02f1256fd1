import t from "tap";
import { LIMITS } from "#contract";
import { IngestRequest, type Slice } from "./ingest-request.ts";
import { StreamTurns } from "./stream-turns.ts";

/** A queue whose clock stands still, and the slices that it has sent. */
function scene() {
  let ms = 1_000_000;
  const left: Slice[] = [];
  const turns = new StreamTurns(
    (slice) => left.push(slice),
    () => ms,
  );
  let requests = 0;
  return {
    turns,
    left,
    pass(by: number) {
      ms += by;
    },
    /** The slices sent since the last call: organisation and number of events. */
    look: () =>
      left
        .splice(0)
        .map(({ request, indexes }) => `${request.organisation} ${indexes.length} ${request.batch}`),
    /** Adds a slice that is the only one of its request. */
    add(organisation: string, events: number): Slice {
      const slices: Slice[] = [];
      const request = new IngestRequest({
        batch: String(++requests),
        organisation,
        traceId: "t",
        traceparent: undefined,
        awaited: true,
        total: events,
        startedAt: ms,
        settle: () => {},
        publish: (slice) => slices.push(slice),
        republish: () => {},
      });
      const indexes = Array.from({ length: events }, (_, index) => index);
      request.start([{ partition: 0, indexes, bytes: new Uint8Array(1) }], new Set());
      const [slice] = slices as [Slice];
      turns.add(slice);
      return slice;
    },
    report: (...slices: Slice[]) => turns.reported(slices.map(({ request }) => [request.batch, 0] as const)),
  };
}

const MESSAGE = LIMITS.eventsPerMessage;

t.test("turns - an organisation alone is not held", async (t) => {
  const { turns, left, add } = scene();
  for (let n = 0; n < 50; n++) add("loud", MESSAGE);
  t.equal(left.length, 50);
  turns.takeHeld();
});

t.test(
  "turns - while another sends, a loud one gets half of the room ahead, and the other is sent immediately",
  async (t) => {
    const { turns, look, add } = scene();
    add("quiet", 1);
    const loud = Array.from({ length: 10 }, () => add("loud", MESSAGE));
    t.equal(look().length - 1, LIMITS.eventsAhead / 2 / MESSAGE, "a full message");
    for (let n = 0; n < LIMITS.smallRequestEvents - 1; n++) add("quiet", 1);
    t.equal(look().length, LIMITS.smallRequestEvents - 1, "small ones do not wait for those of others");
    t.equal(turns.takeHeld().length, loud.length - LIMITS.eventsAhead / 2 / MESSAGE);
  },
);

t.test("turns - ingest's reports make room; each organisation keeps its order", async (t) => {
  const { turns, left, look, add, report } = scene();
  add("quiet", 1);
  const sent = Array.from({ length: 8 }, () => add("loud", MESSAGE));
  while (left.length < 9) {
    const before = left.length;
    report(...(left as Slice[]));
    if (!t.ok(left.length > before, "some leave for those that are reported")) break;
  }
  t.strictSame(
    look().slice(1),
    sent.map(({ request }) => `loud ${MESSAGE} ${request.batch}`),
  );
  t.strictSame(turns.takeHeld(), []);
});

t.test("turns - two organisations that wait take turns, however much one of them has", async (t) => {
  const { turns, left, add, report } = scene();
  add("a", MESSAGE);
  for (let n = 0; n < 20; n++) add("b", MESSAGE);
  for (let n = 0; n < 5; n++) add("a", MESSAGE);
  for (let at = 0; at < left.length && left.length < 12; at++) report(left[at] as Slice);
  const ofA = left.filter(({ request }) => request.organisation === "a").length;
  t.equal(ofA, 6, left.map(({ request }) => request.organisation).join(""));
  turns.takeHeld();
});

t.test("turns - a report that comes twice, or of a slice that was not sent, makes no room", async (t) => {
  const { turns, left, add, report } = scene();
  add("quiet", 1);
  const first = add("loud", MESSAGE);
  for (let n = 0; n < 5; n++) add("loud", MESSAGE);
  report(first);
  const now = left.length;
  report(first, first);
  turns.reported([["unknown", 0]]);
  t.equal(left.length, now);
  turns.takeHeld();
});

t.test("turns - a slice that the stream refuses makes room", async (t) => {
  const { turns, left, add } = scene();
  add("quiet", 1);
  const first = add("loud", MESSAGE);
  for (let n = 0; n < 5; n++) add("loud", MESSAGE);
  const before = left.length;
  turns.refused(first);
  t.equal(left.length, before + 1);
  turns.takeHeld();
});

t.test("turns - without reports nothing is held for longer than its time", async (t) => {
  const { turns, left, look, add, pass } = scene();
  add("quiet", 1);
  const sent = Array.from({ length: 10 }, () => add("loud", MESSAGE));
  pass(LIMITS.aheadMs + 1);
  turns.sweep();
  t.equal(left.length, sent.length + 1);
  look();
  t.strictSame(turns.takeHeld(), []);
});

t.test("turns - a slice whose caller has its answer is not sent, and holds up no other", async (t) => {
  const { turns, look, add, report } = scene();
  add("quiet", 1);
  const sent = Array.from({ length: 4 }, () => add("loud", MESSAGE));
  look();
  (sent[1] as Slice).request.giveUp();
  report(sent[0] as Slice);
  t.strictSame(look(), [`loud ${MESSAGE} ${sent[2]?.request.batch}`]);
  turns.takeHeld();
});

t.test("turns - a sender that is alone again for a while is not held", async (t) => {
  const { turns, left, look, add, pass } = scene();
  add("quiet", 1);
  pass(LIMITS.organisationActiveMs);
  look();
  for (let n = 0; n < 10; n++) add("loud", MESSAGE);
  t.equal(left.length, 10);
  turns.takeHeld();
});

t.test("turns - waiting slices are given back, once", async (t) => {
  const { turns, left, add, report } = scene();
  add("quiet", 1);
  const first = add("loud", MESSAGE);
  for (let n = 0; n < 5; n++) add("loud", MESSAGE);
  const out = left.length;
  t.equal(turns.takeHeld().length, 7 - out);
  report(first);
  t.equal(left.length, out);
});
