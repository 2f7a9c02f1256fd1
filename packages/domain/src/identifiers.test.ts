import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import t from "tap";
import { type CardData, NETWORKS, type Network, transactionIdentifiers } from "./identifiers.ts";

interface VectorFile {
  readonly vectors: ReadonlyArray<{
    readonly auth_code: string;
    readonly network: Network;
    readonly bin: string;
    readonly merchant_id: string;
    readonly identifiers: readonly string[];
  }>;
}

const VECTORS = new URL("../../../../test/vectors/transaction-identifiers.json", import.meta.url);
const CARD: CardData = { authCode: "AUTH123", network: "visa", bin: "41111122", merchantId: "MID_STORE_01" };

t.test("identifiers - every published vector is reproduced", async (t) => {
  const { vectors } = JSON.parse(readFileSync(VECTORS, "utf8")) as VectorFile;
  t.ok(vectors.length >= 5, "the file holds vectors");
  for (const { auth_code, network, bin, merchant_id, identifiers } of vectors) {
    const { six, eight } = transactionIdentifiers({
      authCode: auth_code,
      network,
      bin,
      merchantId: merchant_id,
    });
    t.strictSame(eight === null ? [six] : [six, eight], identifiers, `${auth_code} ${network} ${bin}`);
  }
});

t.test("identifiers - a BIN of six or seven digits has one identifier, of eight two", async (t) => {
  const [six, seven, eight] = ["411111", "4111112", "41111122"].map((bin) =>
    transactionIdentifiers({ ...CARD, bin }),
  );
  t.equal(six?.eight, null);
  t.equal(seven?.eight, null);
  t.not(eight?.eight, null);
  t.equal(six?.six, seven?.six);
  t.equal(six?.six, eight?.six, "a longer BIN keeps the identifier over six digits");
});

t.test(
  "identifiers - case and surrounding white space of auth code and merchant id do not matter",
  async (t) => {
    const spelled = { ...CARD, authCode: " auth123\u00a0", merchantId: "\tMid_Store_01 " };
    t.strictSame(transactionIdentifiers(spelled), transactionIdentifiers(CARD));
  },
);

t.test("identifiers - inner white space, punctuation and leading zeros do matter", async (t) => {
  for (const change of [
    { authCode: "AUTH 123" },
    { authCode: "0AUTH123" },
    { merchantId: "MID-STORE-01" },
    { merchantId: "MID_STORE_1" },
  ]) {
    t.not(transactionIdentifiers({ ...CARD, ...change }).six, transactionIdentifiers(CARD).six);
  }
});

const cards: fc.Arbitrary<CardData> = fc.record({
  authCode: fc.string({ minLength: 1, maxLength: 32, unit: "grapheme" }),
  network: fc.constantFrom(...NETWORKS),
  bin: fc.stringMatching(/^[0-9]{6,8}$/),
  merchantId: fc.string({ minLength: 1, maxLength: 64, unit: "grapheme" }),
});

t.test("identifiers - they are the SHA-256 that the contract spells out", async () => {
  fc.assert(
    fc.property(cards, (card) => {
      const over = (digits: number) =>
        createHash("sha256")
          .update("stampede:txid:v1\n")
          .update(`${card.authCode.trim().toUpperCase()}\n`)
          .update(`${card.network}\n`)
          .update(`${card.bin.substring(0, digits)}\n`)
          .update(card.merchantId.trim().toUpperCase())
          .digest("hex");
      assert.deepEqual(transactionIdentifiers(card), {
        six: over(6),
        eight: card.bin.length === 8 ? over(8) : null,
      });
    }),
    { numRuns: 200 },
  );
});

t.test("identifiers - another auth code, network, BIN or merchant is another identifier", async (t) => {
  const all = [
    CARD,
    { ...CARD, authCode: "AUTH124" },
    { ...CARD, network: "mastercard" as const },
    { ...CARD, network: "amex" as const },
    { ...CARD, network: "other" as const },
    { ...CARD, bin: "41111222" },
    { ...CARD, merchantId: "MID_STORE_02" },
  ];
  t.equal(new Set(all.map((card) => transactionIdentifiers(card).six)).size, all.length);
});
