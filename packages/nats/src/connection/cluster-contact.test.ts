import type { Server } from "@nats-io/transport-node";
import t from "tap";
import { ClusterContact } from "./cluster-contact.ts";

function setUp() {
  let now = 100_000;
  let left = 0;
  const contact = new ClusterContact(
    () => left++,
    () => now,
  );
  return { contact, pass: (ms: number) => (now += ms), now: () => now, left: () => left };
}

t.test("cluster contact - one that heard nothing for four seconds goes elsewhere, once in ten", async (t) => {
  const { contact, pass, now, left } = setUp();
  contact.heard();
  const askedAt = now();
  pass(3_900);
  contact.unheard(askedAt);
  t.equal(left(), 0, "an election may be over yet");
  pass(200);
  contact.unheard(askedAt);
  t.equal(left(), 1);
  pass(5_000);
  contact.unheard(now() - 5_000);
  t.equal(left(), 1, "the next node is given time");
  pass(5_000);
  contact.unheard(now() - 5_000);
  t.equal(left(), 2);
});

t.test(
  "cluster contact - one stream without a leader is no reason to leave while another one answers",
  async (t) => {
    const { contact, pass, now, left } = setUp();
    const askedAt = now();
    pass(4_500);
    contact.heard();
    pass(500);
    contact.unheard(askedAt);
    t.equal(left(), 0);
  },
);

t.test("cluster contact - a node that refuses immediately, again and again, is left", async (t) => {
  const { contact, pass, now, left } = setUp();
  contact.heard();
  for (let i = 0; i < 9; i++) {
    contact.unheard(now());
    pass(500);
  }
  t.equal(left(), 1);
});

t.test("cluster contact - two questions without an answer, an hour apart, are no silence", async (t) => {
  const { contact, pass, now, left } = setUp();
  contact.heard();
  contact.unheard(now() - 2_000);
  pass(3_600_000);
  contact.unheard(now() - 2_000);
  t.equal(left(), 0);
});

t.test("cluster contact - a question that was put late says nothing about the time before it", async (t) => {
  const { contact, pass, now, left } = setUp();
  contact.heard();
  pass(60_000);
  contact.unheard(now() - 10);
  t.equal(left(), 0);
});

t.test("cluster contact - a lost server is dialled last, and again in its turn", async (t) => {
  const { contact } = setUp();
  const server = (listen: string, lastConnect: number) => ({ listen, lastConnect }) as Server;
  const dial = (...servers: Server[]) => contact.next(servers)?.listen;
  t.equal(dial(server("a", 0), server("b", 0)), "a");
  t.equal(dial(), undefined);
  contact.lost("a");
  const longAgo = Date.now() - 60_000;
  t.equal(
    dial(server("a", longAgo), server("b", 0), server("c", 0)),
    "b",
    "connected to longest ago, lost just now",
  );
  const soon = Date.now() + 1_000;
  t.equal(
    dial(server("a", longAgo), server("b", soon), server("c", soon)),
    "a",
    "the others did not take us",
  );
  t.equal(dial(server("a", soon + 1), server("b", soon), server("c", soon + 2)), "b");
});
