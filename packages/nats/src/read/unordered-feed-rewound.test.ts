import { randomUUID } from "node:crypto";
import { cpSync, rmSync } from "node:fs";
import t from "tap";
import { FLOW, LIMITS } from "#contract";
import { createLog } from "#runtime";
import { privateNats, waitFor } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { subjectName } from "../streams/stream-names.ts";
import { ensureTopology } from "../streams/topology.ts";
import type { QueuedMessage } from "./batch.ts";
import { ReplayWindow } from "./replay-window.ts";
import { UnorderedFeed } from "./unordered-feed.ts";

t.setTimeout(120_000);

const HOP = FLOW.outcomes;
const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 21, linkMaxBytes: 2 ** 21 };
const HELD = LIMITS.messagesHeld;
const log = createLog({ service: "test", level: "fatal" });

/**
 * [messages in the copy, messages that come since, further messages after the copy's end was seen, expected
 * number of lost ones]
 */
const CASES: readonly [copied: number, since: number, anew: number, lost: number][] = [
  // The copy still has two unread messages.
  [HELD + 2, 4, 3, 4],
  // The copy lacks messages that were read and are under way.
  [HELD - 6, 10, 3, 4],
  // The copy has passed everything known of the old stream, with other messages.
  [HELD - 6, 10, 20, 4],
  // All was read.
  [HELD - 6, 6, 3, 0],
];

for (const [copied, since, anew, lost] of CASES) {
  t.test(
    `unordered feed - NATS gets the files of an older copy: ${copied}, ${since} more, then ${anew} others: ${lost} are gone unread`,
    async (t) => {
      const nats = await privateNats();
      t.teardown(() => nats.remove());
      const connect = async () => {
        const stream = await connectStream({ url: nats.url, name: "test", prefix: "", log });
        t.teardown(() => stream.close());
        return stream;
      };
      const publish = async (name: string, count: number) => {
        const stream = await connect();
        for (let n = 0; n < count; n++) {
          await stream.jetstream.publish(subjectName(stream, HOP, 0), `${name}${n}`, { msgID: randomUUID() });
        }
        await stream.close();
      };
      const first = await connect();
      await ensureTopology(first, TOPOLOGY);
      await first.close();
      await publish("a", copied);
      await nats.stop();
      const copy = `${nats.dataDir}-copy`;
      cpSync(nats.dataDir, copy, { recursive: true });
      await nats.start();
      await publish("b", since);

      const stream = await connect();
      const received: QueuedMessage[] = [];
      const texts = () => received.map(({ message }) => Buffer.from(message.data).toString());
      const gaps: [string, number][] = [];
      const feed = new UnorderedFeed({
        stream,
        hop: HOP,
        partition: 0,
        topology: TOPOLOGY,
        window: new ReplayWindow(stream, 60),
        from: undefined,
        receive: (entry) => void received.push(entry),
        onDone: () => {},
        onGap: (gap, messages) => void gaps.push([gap, messages]),
        log,
      });
      t.teardown(() => feed.end());
      await waitFor(() => received.length === HELD, { message: "they do not come" });

      await nats.stop();
      rmSync(nats.dataDir, { recursive: true });
      cpSync(copy, nats.dataDir, { recursive: true });
      await nats.start();
      await publish("c", anew);
      for (const held of received.slice(0, HELD)) held.done({ kind: "done" });
      const done = new Set<QueuedMessage>();
      const expected = [
        ...Array.from({ length: copied }, (_, n) => `a${n}`),
        ...Array.from({ length: anew }, (_, n) => `c${n}`),
      ];
      await waitFor(
        () => {
          for (const held of received.slice(HELD)) {
            if (!done.has(held)) held.done({ kind: "done" });
            done.add(held);
          }
          return expected.every((text) => texts().includes(text));
        },
        { message: "something of it is passed over" },
      );
      t.strictSame(gaps, lost === 0 ? [] : [["stream_rewound", lost]]);
      t.match(feed.place, { done: copied + anew });
    },
  );
}
