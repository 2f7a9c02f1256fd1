import t from "tap";
import TypeBox from "typebox";
import { named, nullable } from "./schemas/fields.ts";
import { publicNameOf, Type } from "./type-builder.ts";

/** One use of everything in our schemas. */
function everything(builders: typeof Type) {
  const name = builders.String({ minLength: 1, format: "line" });
  const inner = builders.Object(
    { name, note: builders.Optional(builders.String()) },
    { additionalProperties: false },
  );
  return builders.Object(
    {
      inner,
      maybe: builders.Optional(inner),
      list: builders.Array(builders.Integer({ minimum: 0 }), { maxItems: 3 }),
      ratio: builders.Number(),
      flag: builders.Optional(builders.Boolean()),
      kind: builders.Enum(["a", "b"], { description: "one of them" }),
      text: builders.Literal("text"),
      number: builders.Literal(1),
      yes: builders.Literal(true),
      either: builders.Union([builders.Null(), name]),
      map: builders.Record(builders.String(), builders.Integer(), { maxProperties: 2 }),
      raw: builders.Optional(builders.Unsafe<string>({ type: "string", pattern: "^x" })),
    },
    { description: "all of it" },
  );
}

t.test("schema builders - they build the same as TypeBox, in the same order", async (t) => {
  t.equal(JSON.stringify(everything(Type)), JSON.stringify(everything(TypeBox as unknown as typeof Type)));
});

t.test("schema builders - an object of nothing but optional properties requires none", async (t) => {
  t.notOk("required" in Type.Object({ a: Type.Optional(Type.String()) }));
});

t.test("schema builders - marking a property optional leaves the schema itself unchanged", async (t) => {
  const name = Type.String();
  Type.Optional(name);
  t.strictSame(Type.Object({ name }).required, ["name"]);
});

t.test(
  "schema builders - an optional copy keeps a schema's public name, a copy of other content has none",
  async (t) => {
    const plain = Type.Object({ a: Type.String() });
    const record = named("Record", "A record.").of(plain);
    t.equal(JSON.stringify(record), JSON.stringify(plain), "it is no keyword");
    t.equal(publicNameOf(Type.Optional(record)), publicNameOf(record));
    t.strictSame(publicNameOf(record), { name: "Record", description: "A record." });
    for (const copy of [plain, nullable(record), { ...record, description: "Another." }]) {
      t.equal(publicNameOf(copy), undefined);
    }
  },
);
