import { Writable } from "node:stream";
import t from "tap";
import { createWebhookSecret, webhookSecretBytes, webhookSecretContext } from "#domain";
import { createLog, makeEncryptionKey, SecretBox } from "#runtime";
import { SecretCache } from "./make-attempt.ts";

const SECRETS = [1, 2].map((byte) => createWebhookSecret(new Uint8Array(32).fill(byte))) as [string, string];

function sealed(box: SecretBox, webhookId: string, id: string, secret: string) {
  return { id, ...box.seal(webhookSecretBytes(secret), webhookSecretContext(webhookId, id)) };
}

t.test("secret cache - secrets open in their order; what belongs to another webhook does not", async (t) => {
  const box = new SecretBox(makeEncryptionKey(new Date()));
  const cache = new SecretCache(box, createLog({ service: "test", level: "silent" }));
  const mine = SECRETS.map((secret, i) => sealed(box, "w1", `s${i}`, secret));
  t.strictSame(cache.open("w1", mine), SECRETS);
  t.strictSame(cache.open("w1", mine), SECRETS, "out of memory, too");
  t.strictSame(cache.open("w2", mine), []);
});

t.test(
  "secret cache - a secret that does not open is logged once, without its content; the others sign",
  async (t) => {
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const box = new SecretBox(makeEncryptionKey(new Date()));
    const lost = new SecretBox(`lost:${Buffer.alloc(32, 7).toString("base64")}`);
    const cache = new SecretCache(box, createLog({ service: "test", level: "info", destination }));
    const secrets = [sealed(lost, "w1", "s1", SECRETS[0]), sealed(box, "w1", "s2", SECRETS[1])];
    for (let i = 0; i < 3; i++) t.strictSame(cache.open("w1", secrets), [SECRETS[1]]);
    t.equal(lines.length, 1);
    t.match(lines[0], /"webhook":"w1","secret":"s1","key":"lost"/);
    t.notMatch(lines[0], /whsec_/);
  },
);
