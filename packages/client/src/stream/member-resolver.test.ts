import t from "tap";
import type { RequestOf } from "../api-types.ts";
import { MemberLookUps, type MemberOptions } from "./member-resolver.ts";
import { refusal, until } from "./test-ingest.ts";

/** `member/bulk-upsert`: ids are the refs in capitals; it waits while it is held. */
function fakeMembers(options: Partial<MemberOptions> = {}, existing: readonly string[] = []) {
  const requests: string[][] = [];
  const state: { fault: Error | undefined; held: Promise<void> | undefined } = {
    fault: undefined,
    held: undefined,
  };
  const upsert = async ({ members }: RequestOf<"member/bulk-upsert">) => {
    requests.push(members.map(({ ref }) => ref));
    await state.held;
    if (state.fault !== undefined) throw state.fault;
    return members.map(({ ref }) => ref.toUpperCase());
  };
  const lists: string[][] = [];
  const list = async function* ({ filters = [] }: RequestOf<"member/list">) {
    const [{ in: refs }] = filters as unknown as [{ in: readonly string[] }];
    lists.push([...refs]);
    for (const ref of refs) if (existing.includes(ref)) yield { ref, id: ref.toUpperCase() };
  };
  const resolver = new MemberLookUps({ upsert, list }, { memberBaseId: "mb_1", maxWaitMs: 1, ...options });
  /** Holds every request until the returned function is called. */
  const hold = () => {
    let release!: () => void;
    state.held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  return { resolver, requests, lists, state, hold };
}

async function* noMembers() {}

t.test("members - a ref that no member has is refused if none may be made", async (t) => {
  const { resolver, requests, lists } = fakeMembers({ missing: "refuse" }, ["ada"]);
  const [ada, typo] = await Promise.allSettled([resolver.resolve("ada"), resolver.resolve("adda")]);
  t.match(ada, { status: "fulfilled", value: "ADA" });
  t.match(typo, { status: "rejected", reason: { code: "not_found", data: { resource: "member" } } });
  t.strictSame(requests, [], "nobody was made");
  t.equal(await resolver.resolve("ada"), "ADA");
  t.equal(lists.length, 1, "the member that exists is remembered");
});

t.test("members - if a listener counts the made ones, they are looked for first", async (t) => {
  let made = 0;
  const onMade = (members: number) => {
    made += members;
  };
  const { resolver, requests } = fakeMembers({ onMade }, ["ada"]);
  t.strictSame(await resolver.resolveAll(["ada", "bob", "eve"]), ["ADA", "BOB", "EVE"]);
  t.strictSame(await resolver.resolveAll(["ada", "bob", "eve"]), ["ADA", "BOB", "EVE"]);
  t.strictSame(requests, [["bob", "eve"]]);
  t.equal(made, 2);
});

t.test("members - look-ups at the same time are one request, and one ref is looked up once", async (t) => {
  const { resolver, requests } = fakeMembers();
  const ids = await Promise.all(["a", "b", "a", "c"].map((ref) => resolver.resolve(ref)));
  t.strictSame(ids, ["A", "B", "A", "C"]);
  t.strictSame(requests, [["a", "b", "c"]]);
});

t.test("members - an id is remembered", async (t) => {
  const { resolver, requests } = fakeMembers();
  await resolver.resolve("a");
  t.equal(await resolver.resolve("a"), "A");
  t.equal(requests.length, 1);
});

t.test("members - a call during a look-up of the same ref shares it", async (t) => {
  const { resolver, requests, hold } = fakeMembers();
  const release = hold();
  const first = resolver.resolve("a");
  await until(() => requests.length === 1);
  const second = resolver.resolve("a");
  release();
  t.strictSame(await Promise.all([first, second]), ["A", "A"]);
  t.equal(requests.length, 1);
});

t.test("members - the cache is bounded: the ref not asked for longest leaves", async (t) => {
  const { resolver, requests } = fakeMembers({ maxCached: 2 });
  await resolver.resolveAll(["a", "b"]);
  await resolver.resolve("a");
  await resolver.resolve("c");
  await resolver.resolve("a");
  t.equal(requests.length, 2, "a was kept");
  await resolver.resolve("b");
  t.strictSame(requests.at(-1), ["b"]);
});

t.test("members - a failure fails all look-ups of its request, and is not remembered", async (t) => {
  const { resolver, requests, state } = fakeMembers();
  state.fault = refusal(404, "not_found", { resource: "member_base" });
  const both = await Promise.allSettled([resolver.resolve("a"), resolver.resolve("b")]);
  t.match(both, [{ reason: state.fault }, { reason: state.fault }]);
  state.fault = undefined;
  t.equal(await resolver.resolve("a"), "A");
  t.equal(requests.length, 2);
});

t.test("members - a malformed ref fails alone", async (t) => {
  const { resolver, requests } = fakeMembers();
  const both = await Promise.allSettled([resolver.resolve("a"), resolver.resolve("")]);
  t.match(both, [
    { value: "A" },
    {
      reason: { code: "bad_request", status: 400, message: /members\/0\/ref must have at least 1 character/ },
    },
  ]);
  t.strictSame(requests, [["a"]]);
});

t.test("members - many at once go in requests of limited size, in their order", async (t) => {
  const { resolver, requests } = fakeMembers({ maxRefs: 3 });
  t.strictSame(await resolver.resolveAll([..."abcdefg"]), [..."ABCDEFG"]);
  t.strictSame(
    requests.map(({ length }) => length),
    [3, 3, 1],
  );
  t.strictSame(await resolver.resolveAll([]), []);
});

t.test("members - a forgotten ref is looked up again, even during a look-up", async (t) => {
  const { resolver, requests, hold } = fakeMembers();
  await resolver.resolve("a");
  resolver.forget("a");
  const release = hold();
  const stale = resolver.resolve("a");
  await until(() => requests.length === 2);
  resolver.forget("a");
  release();
  await stale;
  await resolver.resolve("a");
  t.equal(requests.length, 3, "the answer to the second was not remembered");
});

t.test("members - an answer with too few ids fails the refs without an id", async (t) => {
  const resolver = new MemberLookUps(
    { upsert: async () => ["A"], list: noMembers },
    { memberBaseId: "mb_1", maxWaitMs: 1 },
  );
  const both = await Promise.allSettled([resolver.resolve("a"), resolver.resolve("b")]);
  t.match(both, [{ value: "A" }, { reason: /fewer ids/ }]);
});
