import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { createWebhookSecret, webhookSecretBytes, webhookSecretContext } from "./webhook-secret.ts";

t.test("webhook secret - whsec_ and the base64 of the bytes given", async (t) => {
  // Computed in another language: receivers decode them.
  for (const [random, secret] of [
    [new Uint8Array(32), "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
    [new Uint8Array(32).fill(255), "whsec_//////////////////////////////////////////8="],
    [Uint8Array.from(Array(32).keys()), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="],
  ] as const) {
    t.equal(createWebhookSecret(random), secret);
  }
});

t.test("webhook secret - fewer or more than 32 bytes are refused", async (t) => {
  for (const length of [0, 24, 31, 33, 64]) {
    t.throws(() => createWebhookSecret(new Uint8Array(length)), RangeError, String(length));
  }
});

t.test(
  "webhook secret - the bytes that sign are read back, of a made one and of the integrator's own",
  async () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
        assert.deepEqual([...webhookSecretBytes(createWebhookSecret(random))], [...random]);
      }),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), (bytes) => {
        const own = `whsec_${Buffer.from(bytes).toString("base64")}`;
        assert.deepEqual([...webhookSecretBytes(own)], [...bytes]);
      }),
      { numRuns: 100 },
    );
  },
);

t.test("webhook secret - the context names the webhook and the secret", async (t) => {
  const contexts = [
    webhookSecretContext("w1", "s1"),
    webhookSecretContext("w1", "s2"),
    webhookSecretContext("w2", "s1"),
    webhookSecretContext("s1", "w1"),
  ];
  t.equal(new Set(contexts).size, contexts.length);
});
