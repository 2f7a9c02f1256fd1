import t from "tap";
import { IdleConnections, type OutgoingConnection } from "./connections.ts";

/** The part of a connection that `IdleConnections` uses. */
function connection(origin: string) {
  const one = {
    origin,
    isUsable: true,
    destroy() {
      one.isUsable = false;
    },
  };
  return one as unknown as OutgoingConnection;
}

t.test("idle connections - the one that was used last is taken first, of its origin only", async (t) => {
  const idle = new IdleConnections(10);
  const [a1, a2, b] = [connection("a"), connection("a"), connection("b")];
  for (const one of [a1, a2, b]) idle.put(one);
  t.equal(idle.take("a"), a2);
  t.equal(idle.take("a"), a1);
  t.equal(idle.take("a"), undefined);
  t.equal(idle.take("c"), undefined);
  t.equal(idle.size, 1);
});

t.test("idle connections - past the bound the longest idle one ends, whichever origin it has", async (t) => {
  const idle = new IdleConnections(100);
  const all = Array.from({ length: 5_000 }, (_, i) => connection(`origin ${i}`));
  for (const one of all) idle.put(one);
  t.equal(idle.size, 100);
  t.strictSame(
    all.map(({ isUsable }) => isUsable),
    all.map((_, i) => i >= 4_900),
  );
  t.equal(idle.take("origin 0"), undefined);
  t.equal(idle.take("origin 4999"), all[4_999]);
});

t.test("idle connections - one that the other end has closed is not given out", async (t) => {
  const idle = new IdleConnections(10);
  const [first, second, ended] = [connection("a"), connection("a"), connection("a")];
  for (const one of [first, second]) idle.put(one);
  idle.remove(second);
  idle.remove(second);
  ended.destroy();
  idle.put(ended);
  t.equal(idle.take("a"), first);
  t.equal(idle.take("a"), undefined);
});

t.test("idle connections - once closed it keeps none", async (t) => {
  const idle = new IdleConnections(10);
  const [before, after] = [connection("a"), connection("a")];
  idle.put(before);
  idle.close();
  idle.put(after);
  t.notOk(before.isUsable || after.isUsable);
  t.equal(idle.size, 0);
});
