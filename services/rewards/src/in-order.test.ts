import t from "tap";
import { InOrder } from "./in-order.ts";

/** Work that ends on command. */
function work(name: string, begun: string[]) {
  let end!: (error?: Error) => void;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const begin = async () => {
    begun.push(name);
    await ended;
    return name;
  };
  return { begin, end };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test("in order - work with a shared key waits, and the rest does not", async (t) => {
  const order = new InOrder();
  const begun: string[] = [];
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => work(name, begun)) as [
    ReturnType<typeof work>,
    ReturnType<typeof work>,
    ReturnType<typeof work>,
    ReturnType<typeof work>,
  ];
  const results = [
    order.run(new Set(["x", "y"]), a.begin),
    order.run(new Set(["y", "z"]), b.begin),
    order.run(new Set(["z"]), c.begin),
    order.run(new Set(["other"]), d.begin),
  ];
  await turn();
  t.strictSame(begun, ["a", "d"]);
  a.end();
  await turn();
  t.strictSame(begun, ["a", "d", "b"]);
  b.end();
  c.end();
  d.end();
  t.strictSame(await Promise.all(results), ["a", "b", "c", "d"]);
});

t.test("regression - in order, failed work blocked all work after it", async (t) => {
  const order = new InOrder();
  const begun: string[] = [];
  const [a, b] = ["a", "b"].map((name) => work(name, begun)) as [
    ReturnType<typeof work>,
    ReturnType<typeof work>,
  ];
  const first = order.run(new Set(["x"]), a.begin);
  const second = order.run(new Set(["x", "y"]), b.begin);
  a.end(new Error("bad"));
  await t.rejects(first, { message: "bad" });
  b.end();
  t.equal(await second, "b");
  t.strictSame(begun, ["a", "b"], "in their order");
});
