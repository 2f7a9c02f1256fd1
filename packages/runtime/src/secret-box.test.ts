import { randomBytes } from "node:crypto";
import t from "tap";
import { makeEncryptionKey, SecretBox } from "./secret-box.ts";

const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const PLAIN = Buffer.from("whsec_secret ü");

t.test("secret box - opens its own seals, in their context only", async (t) => {
  const box = new SecretBox(key("a"));
  const sealed = box.seal(PLAIN, "webhook 1");
  t.equal(sealed.keyId, "a");
  t.notOk(Buffer.from(sealed.bytes).includes(PLAIN));
  t.strictSame(Buffer.from(box.open(sealed, "webhook 1")), PLAIN);
  t.throws(() => box.open(sealed, "webhook 2"));
  t.notSame(box.seal(PLAIN, "webhook 1").bytes, sealed.bytes, "no nonce twice");
});

t.test("secret box - a changed byte anywhere is noticed", async (t) => {
  const box = new SecretBox(key("a"));
  const { keyId, bytes } = box.seal(PLAIN, "c");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Uint8Array.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    t.throws(() => box.open({ keyId, bytes: changed }, "c"), `byte ${at}`);
  }
  t.throws(() => box.open({ keyId, bytes: bytes.subarray(0, 20) }, "c"));
});

t.test("secret box - after a rotation the new key seals and the old one still opens", async (t) => {
  const [old, fresh] = [key("old"), key("new")];
  const sealed = new SecretBox(old).seal(PLAIN, "c");
  const rotated = new SecretBox(`${fresh}, ${old}`);
  t.strictSame(Buffer.from(rotated.open(sealed, "c")), PLAIN);
  t.equal(rotated.seal(PLAIN, "c").keyId, "new");
  t.throws(() => new SecretBox(fresh).open(sealed, "c"), { message: /key old is not among/ });
});

t.test("secret box - a wrong key is refused without being shown", async (t) => {
  const encoded = randomBytes(31).toString("base64");
  for (const spec of ["", "a", "a:", encoded, `a:${encoded}`, `a b:${encoded}`, `${key("a")},`]) {
    const error = t.throws(() => new SecretBox(spec), spec) as Error;
    t.match(error.message, /must be an id, a colon and the base64 of 32 bytes/);
    t.notOk(error.message.includes(encoded));
  }
  const twice = key("a");
  t.throws(() => new SecretBox(`${twice},${twice}`), { message: "has the key id a twice" });
});

t.test("secret box - a made key fits", async (t) => {
  t.equal(new SecretBox(makeEncryptionKey(new Date("2026-11-21T10:00:00Z"))).currentKeyId, "k20261121");
});
