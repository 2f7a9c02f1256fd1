import t from "tap";
import { walkPages } from "./pages.ts";

interface Page {
  readonly data: readonly number[];
  readonly page: { readonly cursor: string | null; readonly more: boolean };
}

/** Gives the pages one after the other, and keeps the requests for them. */
function scripted(...pages: readonly Page[]) {
  const asked: object[] = [];
  const ask = async (request: object) => {
    const page = pages[asked.length];
    if (page === undefined) throw new Error("there was no further page");
    asked.push(request);
    return page;
  };
  return { asked, ask };
}

async function all(records: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const record of records) found.push(record);
  return found;
}

t.test("pages - a list begins where its request says, and ends without a cursor", async (t) => {
  const { asked, ask } = scripted(
    { data: [1, 2], page: { cursor: "c2", more: true } },
    { data: [], page: { cursor: "c3", more: true } },
    { data: [3], page: { cursor: null, more: false } },
  );
  const request = { member_id: "m_1", pagination: { limit: 2, cursor: "c1" } };
  t.strictSame(await all(walkPages(request, "pagination", ask)), [1, 2, 3], "an empty page is not the last");
  t.strictSame(asked, [
    request,
    { member_id: "m_1", pagination: { limit: 2, cursor: "c2" } },
    { member_id: "m_1", pagination: { limit: 2, cursor: "c3" } },
  ]);
});

t.test("pages - a list that always has a cursor ends when there is no more for now", async (t) => {
  const { asked, ask } = scripted(
    { data: [1], page: { cursor: "c1", more: true } },
    { data: [2], page: { cursor: "c2", more: false } },
  );
  t.strictSame(await all(walkPages({ limit: 1, types: ["x"] }, "after", ask)), [1, 2]);
  t.strictSame(asked, [
    { limit: 1, types: ["x"] },
    { limit: 1, types: ["x"], after: "c1" },
  ]);
});

t.test("pages - a page that fails throws where its first record would have come", async (t) => {
  const { ask } = scripted({ data: [1, 2], page: { cursor: "c1", more: true } });
  const found: unknown[] = [];
  const walk = async () => {
    for await (const record of walkPages({}, "pagination", ask)) found.push(record);
  };
  await t.rejects(walk(), { message: "there was no further page" });
  t.strictSame(found, [1, 2]);
});

t.test("pages - a cursor that leads back to itself ends the walk with an error", async (t) => {
  const ask = async () => ({ data: [1], page: { cursor: "c1", more: true } });
  const found: unknown[] = [];
  const walk = async () => {
    for await (const record of walkPages({}, "pagination", ask)) found.push(record);
  };
  await t.rejects(walk(), { name: "StampedeError", code: "unexpected_answer" });
  t.strictSame(found, [1, 1], "the second page is the first to have it");
});

t.test("pages - cursors that go in a circle of any length end the walk, too", async (t) => {
  for (const length of [2, 3, 7, 50]) {
    let asked = 0;
    const ask = async () => ({ data: [1], page: { cursor: `c${asked++ % length}`, more: true } });
    const walk = async () => {
      for await (const _ of walkPages({}, "pagination", ask)) if (asked > 4 * length) t.fail("it goes on");
    };
    await t.rejects(walk(), {
      code: "unexpected_answer",
      message: "the cursors of the pages go in a circle",
    });
  }
});

t.test("pages - an answer that is no page is a StampedeError", async (t) => {
  for (const answer of [
    null,
    [],
    "x",
    {},
    { data: [1] },
    { data: {}, page: { cursor: null } },
    { data: [], page: {} },
  ]) {
    const walk = async () => {
      for await (const _ of walkPages({}, "pagination", async () => answer)) t.fail("it has a record");
    };
    await t.rejects(walk(), { code: "unexpected_answer" }, JSON.stringify(answer));
  }
});
