import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import t from "tap";
import { createTokenSecret, isTokenSecret } from "./token-secret.ts";

const SHAPE = /^stp_live_[0-9A-Za-z]{49}$/;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randoms = fc.uint8Array({ minLength: 32, maxLength: 32 });

t.test("token secret - prefix, 43 characters for 32 bytes and 6 for the checksum", async (t) => {
  t.match(createTokenSecret(randomBytes(32)), SHAPE);
  // Computed in another programming language. Tokens of this form are in use, so it may not change.
  for (const [random, secret] of [
    [new Uint8Array(32), "stp_live_00000000000000000000000000000000000000000002CZclj"],
    [new Uint8Array(32).fill(255), "stp_live_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1"],
    [Uint8Array.from(Array(32).keys()), "stp_live_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP"],
  ] as const) {
    t.equal(createTokenSecret(random), secret);
  }
});

t.test("token secret - every one that is made is recognised, and says all its bytes", async () => {
  fc.assert(
    fc.property(randoms, (random) => {
      const secret = createTokenSecret(random);
      assert.match(secret, SHAPE);
      assert.ok(isTokenSecret(secret));
      const number = [...secret.slice(9, 52)].reduce((n, c) => n * 62n + BigInt(ALPHABET.indexOf(c)), 0n);
      assert.equal(number.toString(16).padStart(64, "0"), Buffer.from(random).toString("hex"));
    }),
    { numRuns: 200 },
  );
});

t.test("token secret - one wrong character breaks the checksum", async () => {
  fc.assert(
    fc.property(
      randoms,
      fc.integer({ min: 9, max: 57 }),
      fc.constantFrom(...ALPHABET),
      (random, at, other) => {
        const secret = createTokenSecret(random);
        const mistyped = secret.slice(0, at) + other + secret.slice(at + 1);
        assert.equal(isTokenSecret(mistyped), mistyped === secret);
      },
    ),
    { numRuns: 500 },
  );
});

t.test("token secret - two swapped neighbours break the checksum", async () => {
  fc.assert(
    fc.property(randoms, fc.integer({ min: 9, max: 56 }), (random, at) => {
      const secret = createTokenSecret(random);
      const swapped = secret.slice(0, at) + secret[at + 1] + secret[at] + secret.slice(at + 2);
      assert.equal(isTokenSecret(swapped), swapped === secret);
    }),
    { numRuns: 200 },
  );
});

t.test("token secret - another form is none", async (t) => {
  const secret = createTokenSecret(randomBytes(32));
  for (const text of [
    "",
    "stp_live_",
    secret.slice(9),
    secret.slice(0, -1),
    `${secret}0`,
    `${secret}\n`,
    ` ${secret}`,
    secret.replace("live", "test"),
    secret.toUpperCase(),
    `${secret.slice(0, 57)}-`,
    `${secret.slice(0, 57)}é`,
  ]) {
    t.notOk(isTokenSecret(text), JSON.stringify(text));
  }
});

t.test("token secret - fewer or more than 32 bytes are refused", async (t) => {
  for (const length of [0, 16, 31, 33]) {
    t.throws(() => createTokenSecret(new Uint8Array(length)), RangeError, String(length));
  }
});
