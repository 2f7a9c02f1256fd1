import { createHash } from "node:crypto";
import t from "tap";
import { nameUuid } from "./name-uuid.ts";

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

t.test("name uuid - it is the SHA-256 of the name but for version and variant", async (t) => {
  for (const name of ["", "cashback:1", "purchase:a:ü"]) {
    const uuid = nameUuid(name);
    const sha = createHash("sha256").update(name).digest("hex").slice(0, 32);
    t.match(uuid, FORM);
    const hex = uuid.replaceAll("-", "");
    const same = (text: string) => text.slice(0, 12) + text.slice(13, 16) + text.slice(17);
    t.equal(same(hex), same(sha), name);
  }
});

t.test("name uuid - a published id never changes", async (t) => {
  // SHA-256("abc") begins ba7816bf 8f01cfea 414140de 5dae2223 (FIPS 180-2, appendix B.1).
  t.equal(nameUuid("abc"), "ba7816bf-8f01-8fea-8141-40de5dae2223");
});

t.test("name uuid - every variant is well formed, and names do not collide", async (t) => {
  const names = Array.from({ length: 2000 }, (_, i) => `stamp:${i}`);
  const all = names.map(nameUuid);
  t.ok(all.every((uuid) => FORM.test(uuid)));
  t.equal(new Set(all).size, all.length);
});
