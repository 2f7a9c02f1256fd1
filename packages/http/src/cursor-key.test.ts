import { randomBytes } from "node:crypto";
import t from "tap";
import { CursorKey } from "./list-page.ts";

const ID = "0195a3c4-7e1b-7c3a-9b1e-3f1f0c5a9d10";
const key = new CursorKey(randomBytes(32));

t.test("cursor - it opens for its own list and owner, and for no other", async (t) => {
  const cursor = key.seal(ID, "deal/list", "org");
  t.equal(key.open(cursor, "deal/list", "org"), ID);
  t.equal(key.open(cursor, "deal/list", "other"), undefined);
  t.equal(key.open(cursor, "loyalty-program/list", "org"), undefined);
  t.equal(new CursorKey(randomBytes(32)).open(cursor, "deal/list", "org"), undefined);
});

t.test("cursor - a place is any text, as long as the longest external_id", async (t) => {
  for (const place of ["0", "7 ä b/\u{1f600}", `100000 ${"\u{1f600}".repeat(128)}`]) {
    const cursor = key.seal(place, "transaction/export", "org");
    t.equal(key.open(cursor, "transaction/export", "org"), place);
    t.ok(cursor.length <= 1024, "fits into a request");
  }
});

t.test("cursor - a damaged one, or the same bytes spelt otherwise, does not open", async (t) => {
  const cursor = key.seal(ID, "deal/list", "org");
  const bytes = Buffer.from(cursor, "base64url");
  for (const at of bytes.keys()) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 1;
    t.equal(key.open(damaged.toString("base64url"), "deal/list", "org"), undefined, `byte ${at}`);
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
    t.equal(key.open(spelt, "deal/list", "org"), undefined, spelt);
  }
});
