import t from "tap";
import { shareRepeated } from "./share-repeated.ts";

const leaf = { type: "object", properties: { a: { type: "string" } } };
const branch = { type: "object", properties: { leaf } };
const holding = (inner: unknown, more: object = {}) => ({ type: "object", properties: { inner }, ...more });

t.test("sharing - a part of two schemas is moved once, with its own parts", async (t) => {
  t.strictSame(
    shareRepeated([
      ["one", holding(branch)],
      ["two", holding({ type: "array", items: branch })],
    ]),
    {
      schemas: [
        ["one", holding({ $ref: "shared_1" })],
        ["two", holding({ type: "array", items: { $ref: "shared_1" } })],
      ],
      shared: [
        ["shared_1", { type: "object", properties: { leaf: { $ref: "shared_2" } } }],
        ["shared_2", leaf],
      ],
    },
  );
});

t.test("sharing - an unrepeated part stays, and so do whole schemas that are equal", async (t) => {
  const schemas = [
    ["one", leaf],
    ["two", leaf],
    ["three", holding({ type: "object", properties: { b: leaf } })],
  ] as const;
  const { shared, schemas: left } = shareRepeated(schemas);
  t.strictSame(shared, []);
  t.strictSame(left, schemas);
});

t.test("sharing - a part that refers to local definitions stays with them", async (t) => {
  const referring = holding({ $ref: "#/$defs/leaf" });
  const schema = { type: "object", properties: { x: referring, y: referring }, $defs: { leaf } };
  t.strictSame(shareRepeated([["one", schema]]), { schemas: [["one", schema]], shared: [] });
});

t.test("sharing - the places of forms are found too", async (t) => {
  const { schemas, shared } = shareRepeated([["one", { oneOf: [leaf, holding(leaf)] }]]);
  t.strictSame(schemas, [["one", { oneOf: [{ $ref: "shared_1" }, holding({ $ref: "shared_1" })] }]]);
  t.strictSame(shared, [["shared_1", leaf]]);
});

t.test("sharing - a choice by a tag moves as a whole, with its forms in it", async (t) => {
  const form = (tag: string) => ({ type: "object", properties: { type: { const: tag }, leaf } });
  const choice = { type: "object", discriminator: { propertyName: "type" }, oneOf: [form("a"), form("b")] };
  const { schemas, shared } = shareRepeated([
    ["one", holding(choice)],
    ["two", holding({ type: "array", items: choice })],
  ]);
  t.strictSame(schemas, [
    ["one", holding({ $ref: "shared_1" })],
    ["two", holding({ type: "array", items: { $ref: "shared_1" } })],
  ]);
  const written = (tag: string) => ({
    type: "object",
    properties: { type: { const: tag }, leaf: { $ref: "shared_2" } },
  });
  t.strictSame(shared, [
    ["shared_1", { ...choice, oneOf: [written("a"), written("b")] }],
    ["shared_2", leaf],
  ]);
});
