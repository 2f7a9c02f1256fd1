import t from "tap";
import type { StreamReading } from "#nats";
import { waitingInStream } from "./hop-streams.ts";

const AT = Date.parse("2026-05-01T12:00:00Z");

/** Ten messages, 101 to 110, one a second; the last of them came a second ago. */
const STREAM: StreamReading = {
  messages: 10,
  bytes: 1000,
  limitBytes: 10_000,
  first: 101,
  last: 110,
  firstAt: AT - 10_000,
  lastAt: AT - 1_000,
  at: AT,
};

t.test("waiting - finished messages do not wait, though they are still in the stream", async (t) => {
  t.strictSame(waitingInStream(STREAM, 104), { messages: 6, oldestSeconds: 6 });
  t.strictSame(waitingInStream(STREAM, 109), { messages: 1, oldestSeconds: 1 });
  t.strictSame(waitingInStream(STREAM, 110), { messages: 0, oldestSeconds: 0 });
  t.strictSame(
    waitingInStream(STREAM, 200),
    { messages: 0, oldestSeconds: 0 },
    "the stream was asked a moment later",
  );
});

t.test(
  "waiting - if a reader stands still, or there is none, the age is that of the first message",
  async (t) => {
    t.strictSame(waitingInStream(STREAM, 100), { messages: 10, oldestSeconds: 10 });
    t.strictSame(
      waitingInStream(STREAM, 50),
      { messages: 10, oldestSeconds: 10 },
      "an operator has purged some",
    );
    t.strictSame(waitingInStream(STREAM, undefined), { messages: 10, oldestSeconds: 10 });
  },
);

t.test("waiting - counts a stream that is empty, or holds one message", async (t) => {
  const empty = { ...STREAM, messages: 0, first: 111, last: 110 };
  t.strictSame(waitingInStream(empty, undefined), { messages: 0, oldestSeconds: 0 });
  t.strictSame(waitingInStream(empty, 0), { messages: 0, oldestSeconds: 0 }, "whatever its reader reports");
  const one = { ...STREAM, messages: 1, first: 110, firstAt: STREAM.lastAt };
  t.strictSame(waitingInStream(one, 109), { messages: 1, oldestSeconds: 1 });
});

t.test(
  "waiting - a message that the server cannot read has no time; a clock that is ahead gives no age below 0",
  async (t) => {
    const unread = { ...STREAM, firstAt: Date.parse("0001-01-01T00:00:00Z") };
    t.strictSame(waitingInStream(unread, 100), { messages: 10, oldestSeconds: 1 });
    t.equal(waitingInStream({ ...STREAM, at: AT - 60_000 }, 100).oldestSeconds, 0);
  },
);
