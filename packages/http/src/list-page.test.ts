import { randomBytes } from "node:crypto";
import t from "tap";
import { LIMITS } from "#contract";
import { answerList, CursorKey } from "./list-page.ts";

const cursors = new CursorKey(randomBytes(32));
const call = (cursor: string | null, limit?: number) => ({
  cursors,
  scope: "thing/list",
  owner: "org",
  pagination: { cursor, ...(limit !== undefined && { limit }) },
});

interface Thing {
  readonly id: string;
  readonly text: string;
}

interface Answer {
  readonly data: readonly Thing[];
  readonly page: { page_size: number; cursor: string | null; more: boolean; total: number };
}

/** Records of this many bytes each. */
const things = (sizes: readonly number[]): Thing[] =>
  sizes.map((size, index) => ({ id: `id-${String(index).padStart(4, "0")}`, text: "é".repeat(size / 2) }));

/** Walks through the list, like a keyset query. */
async function walk(all: readonly Thing[], limit: number, byPlace = false): Promise<Answer[]> {
  const pages: Answer[] = [];
  let cursor: string | null = null;
  do {
    const response = await answerList(
      call(cursor, limit),
      async ({ after, limit }) => {
        const behind = byPlace ? after?.slice("place of ".length) : after;
        const rest = all.filter(({ id }) => behind === undefined || id > behind);
        const records = rest.slice(0, limit);
        const placeOf = ({ id }: Thing) => `place of ${id}`;
        const last = records.at(-1);
        return {
          records,
          more: rest.length > limit,
          total: all.length,
          ...(byPlace && { placeOf, ...(last && rest.length > limit && { next: placeOf(last) }) }),
        };
      },
      (thing) => thing,
    );
    t.ok(Buffer.byteLength(response.body) <= 2 * LIMITS.pageBytes, "some 4 MiB");
    const answer: Answer = JSON.parse(String(response.body));
    t.equal(answer.page.page_size, answer.data.length);
    t.equal(answer.page.total, all.length);
    t.equal(answer.page.more, answer.page.cursor !== null);
    pages.push(answer);
    cursor = answer.page.cursor;
  } while (cursor !== null);
  return pages;
}

const MIB = 1024 * 1024;

t.test(
  "list - an answer ends before the record that would not fit, and a walk meets each once",
  async (t) => {
    const all = things([3 * MIB, MIB / 2, MIB, MIB, 100, 3 * MIB, 3 * MIB, 10]);
    for (const byPlace of [false, true]) {
      const pages = await walk(all, 4, byPlace);
      t.strictSame(
        pages.map(({ data }) => data.length),
        [2, 3, 1, 2],
      );
      t.strictSame(
        pages.flatMap(({ data }) => data.map(({ id }) => id)),
        all.map(({ id }) => id),
      );
    }
  },
);

t.test("list - a record that is larger than an answer stands alone", async (t) => {
  const all = things([10, 6 * MIB, 6 * MIB, 10]);
  const pages = await walk(all, 1000);
  t.strictSame(
    pages.map(({ data }) => data.length),
    [1, 1, 1, 1],
  );
});

t.test("list - where everything fits, the limit alone cuts", async (t) => {
  t.strictSame(
    (await walk(things(new Array(10).fill(1000)), 5)).map(({ data }) => data.length),
    [5, 5],
  );
  t.match((await walk([], 5))[0]?.page, { page_size: 0, cursor: null, more: false });
});

const ID = "0195a3c4-7e1b-7c3a-9b1e-3f1f0c5a9d10";
t.test("cursor - it opens for its own list and owner, and for no other", async (t) => {
  const cursor = cursors.seal(ID, "deal/list", "org");
  t.equal(cursors.open(cursor, "deal/list", "org"), ID);
  t.equal(cursors.open(cursor, "deal/list", "other"), undefined);
  t.equal(cursors.open(cursor, "loyalty-program/list", "org"), undefined);
  t.equal(new CursorKey(randomBytes(32)).open(cursor, "deal/list", "org"), undefined);
});

t.test("cursor - a place is any text, as long as the longest external_id", async (t) => {
  for (const place of ["0", "7 ä b/\u{1f600}", `100000 ${"\u{1f600}".repeat(128)}`]) {
    const cursor = cursors.seal(place, "transaction/export", "org");
    t.equal(cursors.open(cursor, "transaction/export", "org"), place);
    t.ok(cursor.length <= 1024, "fits into a request");
  }
});

t.test("cursor - a damaged one, or the same bytes spelt otherwise, does not open", async (t) => {
  const cursor = cursors.seal(ID, "deal/list", "org");
  const bytes = Buffer.from(cursor, "base64url");
  for (const at of bytes.keys()) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 1;
    t.equal(cursors.open(damaged.toString("base64url"), "deal/list", "org"), undefined, `byte ${at}`);
  }
  for (const spelt of [
    `${cursor} `,
    ` ${cursor}`,
    `${cursor}=`,
    `${cursor}A`,
    cursor.slice(0, -1),
    "",
    "x",
  ]) {
    t.equal(cursors.open(spelt, "deal/list", "org"), undefined, spelt);
  }
});
