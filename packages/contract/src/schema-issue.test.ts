import t from "tap";
import { describeViolation } from "./schema-issue.ts";

const describe = (keyword: string, params: Record<string, unknown>, instancePath = "/a") =>
  describeViolation({ instancePath, keyword, params });

t.test("schema issue - one and many are told apart", async (t) => {
  t.equal(describe("minLength", { limit: 1 }).message, "must have at least 1 character");
  t.equal(describe("minLength", { limit: 2 }).message, "must have at least 2 characters");
  t.equal(describe("maxItems", { limit: 1 }).message, "must have at most 1 entry");
  t.equal(describe("maxProperties", { limit: 64 }).message, "must have at most 64 keys");
});

t.test("schema issue - a field's name is escaped as a JSON pointer wants it", async (t) => {
  const path = (additionalProperty: string) => describe("additionalProperties", { additionalProperty }).path;
  t.equal(path("b"), "/a/b");
  t.equal(path("a/b"), "/a/a~1b");
  t.equal(path("a~1b"), "/a/a~01b");
  t.equal(path(""), "/a/");
});

t.test("schema issue - a made-up name is shown up to 64 characters", async (t) => {
  const { path } = describe("additionalProperties", { additionalProperty: "/".repeat(1_000_000) });
  t.equal(path, `/a/${"~1".repeat(64)}`);
});

t.test("schema issue - half of a surrogate pair, sent or made by the cut, is not shown back", async (t) => {
  const path = (additionalProperty: string) => describe("additionalProperties", { additionalProperty }).path;
  t.equal(path("a\ud800b"), "/a/a\ufffdb");
  t.equal(path(`${"x".repeat(63)}😀`), `/a/${"x".repeat(63)}\ufffd`);
});

t.test("schema issue - of several forms the schema's own comment says which there are", async (t) => {
  const params = { passingSchemas: null, comment: "must be this or that" };
  t.strictSame(describe("oneOf", params), { path: "/a", message: "must be this or that" });
});

t.test("schema issue - an unknown form is placed at the field that names it", async (t) => {
  const params = { tag: "type", allowedValues: ["percent", "fixed"] };
  t.strictSame(describe("discriminator", params), {
    path: "/a/type",
    message: "must be one of percent, fixed",
  });
});

t.test("schema issue - a rule without words of its own is still an answer", async (t) => {
  t.strictSame(describe("multipleOf", { multipleOf: 2 }), { path: "/a", message: "is not valid" });
});
