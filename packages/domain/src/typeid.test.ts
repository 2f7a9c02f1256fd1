import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { TypeID } from "typeid-js";
import { decodeId, encodeId, ID_PREFIXES } from "./typeid.ts";

const UUID = "0196f2a4-5b6c-7d8e-9fa0-b1c2d3e4f506";
const NIL = "00000000-0000-0000-0000-000000000000";
const MAX = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";

const prefixes = fc.constantFrom(...ID_PREFIXES);
const uuids = fc.uuid({ version: [1, 4, 7] });

/** The result of the library of TypeID's authors; its exceptions mean "unknown". */
function oracle(prefix: string, id: string): string | undefined {
  try {
    // Not toUUID: it also asks for a version, which no published vector of TypeID does.
    const hex = Buffer.from(TypeID.fromString(id, prefix).toUUIDBytes()).toString("hex");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  } catch {
    return undefined;
  }
}

t.test("typeid - ids are written as the authors' library writes them", async (t) => {
  fc.assert(
    fc.property(prefixes, uuids, (prefix, uuid) => {
      assert.equal(encodeId(prefix, uuid), TypeID.fromUUID(prefix, uuid).toString());
    }),
    { numRuns: 500 },
  );
  t.equal(encodeId("tx", NIL), "tx_00000000000000000000000000");
  t.equal(encodeId("tx", MAX), "tx_7zzzzzzzzzzzzzzzzzzzzzzzzz");
});

t.test("typeid - an encoded id is decoded again", async (t) => {
  fc.assert(
    fc.property(prefixes, uuids, (prefix, uuid) => {
      assert.equal(decodeId(prefix, encodeId(prefix, uuid)), uuid);
    }),
    { numRuns: 500 },
  );
  for (const uuid of [NIL, MAX, UUID]) t.equal(decodeId("batch", encodeId("batch", uuid)), uuid);
});

t.test("typeid - ids of equal prefix sort as their UUIDs do", async () => {
  fc.assert(
    fc.property(uuids, uuids, (a, b) => {
      assert.equal(encodeId("tx", a) < encodeId("tx", b), a < b);
    }),
    { numRuns: 200 },
  );
});

t.test("typeid - an id of another kind is unknown", async (t) => {
  for (const wanted of ID_PREFIXES) {
    for (const given of ID_PREFIXES) {
      const uuid = decodeId(wanted, encodeId(given, UUID));
      t.equal(uuid, wanted === given ? UUID : undefined, `${given} read as ${wanted}`);
    }
  }
});

t.test("typeid - an id of any other form is unknown", async (t) => {
  const good = encodeId("m", UUID);
  const suffix = good.slice(2);
  const malformed = [
    "",
    "m",
    "m_",
    "_",
    UUID,
    suffix,
    `_${suffix}`,
    `m${suffix}`,
    `m-${suffix}`,
    `m__${suffix}`,
    `M_${suffix}`,
    `m_${suffix.toUpperCase()}`,
    `m_${suffix.slice(1)}`,
    `m_${suffix}0`,
    ` ${good}`,
    `${good} `,
    `${good}\n`,
    `m_${suffix.slice(0, -1)}\u0000`,
    `m_8${suffix.slice(1)}`,
    "m_8zzzzzzzzzzzzzzzzzzzzzzzzz",
    "m_zzzzzzzzzzzzzzzzzzzzzzzzzz",
    ...["i", "l", "o", "u", "-", "_", "é", "\u{1d7ce}", "\ud800", "\u007f", "\u0080", "０"].map(
      (alien) => `m_${alien}${suffix.slice(alien.length)}`,
    ),
    ...["i", "l", "o", "u", "-", "é", "\ud800", "０"].map((alien) => `m_${suffix.slice(0, 25)}${alien}`),
    // An alien second character has all bits set in the table: it must not pass for the rest of a byte.
    ...["i", "_", "A", "-", "é"].map((alien) => `m_0${alien}${suffix.slice(2)}`),
  ];
  for (const id of malformed) t.equal(decodeId("m", id), undefined, JSON.stringify(id));
});

t.test("typeid - of any text, the same is known as to the authors' library", async () => {
  const lookAlikes = fc
    .tuple(
      fc.constantFrom("m", "mb", "M", ""),
      fc.constantFrom("_", "-", ""),
      fc.string({ minLength: 25, maxLength: 27, unit: fc.constantFrom(...BASE32, "i", "A", "_") }),
    )
    .map((parts) => parts.join(""));
  const wellFormed = fc
    .tuple(
      fc.constantFrom(..."0123456789"),
      fc.string({ minLength: 25, maxLength: 25, unit: fc.constantFrom(...BASE32) }),
    )
    .map(([first, rest]) => `m_${first}${rest}`);
  fc.assert(
    fc.property(fc.oneof(lookAlikes, wellFormed, fc.string({ maxLength: 40 })), (id) => {
      assert.equal(decodeId("m", id), oracle("m", id), JSON.stringify(id));
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 1000) },
  );
});
