import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ERRORS } from "#contract";
import { PUBLISHER_API } from "#contract/openapi";
import { API_REFERENCES, withRoutes, withTables } from "./api-reference.ts";
import { ROOT } from "./root.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

for (const { file, api } of API_REFERENCES) {
  t.test(`api reference - the table in ${file} equals the route table`, async (t) => {
    const committed = read(file);
    t.ok(withTables(committed, api) === committed, "run `npm run generate` and commit");
    for (const route of Object.keys(api.routes)) t.match(committed, `| \`${route}\` |`, route);
  });
}

t.test("api reference - it has every error code with its status, and no other", async (t) => {
  const rows = [...read("docs/api.md").matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  t.strictSame(
    rows,
    Object.entries(ERRORS).map(([code, { status }]) => [code, status]),
  );
});

t.test("api reference - the text between the marks is replaced, the prose is not", async (t) => {
  const committed = read("docs/api.md");
  const marks = /(<!-- routes: [^>]+-->)[\s\S]*(<!-- routes end -->)/;
  const stale = committed.replace(marks, "$1\n| `old/route` |\n$2");
  t.match(stale, "old/route");
  t.equal(withRoutes(stale, PUBLISHER_API), withRoutes(committed, PUBLISHER_API));
  t.throws(() => withRoutes("prose only", PUBLISHER_API), /marks/);
});

t.test("api reference - every object of the interface is in it with its fields", async (t) => {
  const text = read("docs/api.md");
  for (const row of [
    /^\| `DisplayContent` \| `title` string, `image` string, `logo\?` string, `summary` string, .*`terms` string, `reward\?` \{`formatted` string\} \|/m,
    /^\| `ProgramReward` \| .*`refund`.*`fixed-reward`, `amount` integer \|/m,
    /^\| `StampCollection` \| `id` string, .*`unredeemed_purchases` integer \|/m,
    /^\| `TransactionEvent` \| .*`auth_code` string.*`cleared_at\?` string/m,
  ]) {
    t.match(text, row);
  }
});
