import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ERRORS, ROUTES } from "#contract";
import { API_REFERENCE_FILE, withRoutes } from "./api-reference.ts";
import { ROOT } from "./root.ts";

const committed = readFileSync(join(ROOT, API_REFERENCE_FILE), "utf8");

t.test("api reference - its table of routes is what the route table says", async (t) => {
  t.ok(withRoutes(committed) === committed, "run `npm run generate` and commit");
  for (const route of Object.keys(ROUTES)) t.match(committed, `| \`${route}\` |`, route);
});

t.test("api reference - it has every error code with its status, and no other", async (t) => {
  const rows = [...committed.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  t.strictSame(
    rows,
    Object.entries(ERRORS).map(([code, { status }]) => [code, status]),
  );
});

t.test("api reference - what stands between the marks is replaced, the prose is not", async (t) => {
  const marks = /(<!-- routes: [^>]+-->)[\s\S]*(<!-- routes end -->)/;
  const stale = committed.replace(marks, "$1\n| `old/route` |\n$2");
  t.match(stale, "old/route");
  t.equal(withRoutes(stale), withRoutes(committed));
  t.throws(() => withRoutes("prose only"), /marks/);
});
