import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import t from "tap";
import { ROUTES } from "#contract";
import { PUBLISHER_API } from "#contract/openapi";
import { BRUNO_FOLDER, brunoCollection } from "./bruno-collection.ts";
import { ROOT } from "./root.ts";

interface BruRequest {
  readonly http: {
    readonly method: string;
    readonly url: string;
    readonly body: string;
    readonly auth: string;
  };
  readonly body: { readonly json: string };
  readonly docs: string;
}

/** The parser that Bruno itself reads its files with. */
const bruno = createRequire(import.meta.url)("@usebruno/lang") as {
  bruToJsonV2(text: string): BruRequest;
  bruToEnvJsonV2(text: string): { variables: { name: string; value: string | null; secret: boolean }[] };
  collectionBruToJson(text: string): { auth?: { mode: string; bearer?: { token: string } }; docs?: string };
};

const files = new Map(brunoCollection().map(({ file, text }) => [file.slice(BRUNO_FOLDER.length + 1), text]));

t.test(
  "bruno - there is a request for each route, which asks it with a body of its example's form",
  async (t) => {
    for (const route of Object.keys(ROUTES)) {
      const text = files.get(`${route}.bru`);
      t.ok(text, route);
      const { http, body, docs } = bruno.bruToJsonV2(text as string);
      t.match(http, {
        method: "post",
        url: `{{base_url}}/publisher.v1/${route}`,
        body: "json",
        auth: "inherit",
      });
      t.strictSame(formOf(JSON.parse(body.json)), formOf(PUBLISHER_API.examples[route]), route);
      t.match(docs, /Needs a token with (read|write) access\./);
    }
  },
);

t.test("bruno - a request names no record of anybody, but a variable that another one sets", async (t) => {
  const all = [...files.values()].join("\n");
  t.notMatch(all, /"[a-z]+_[0-9a-z]{26}"/);
  const set = new Set([...all.matchAll(/^ {2}(\w+): res\.body/gm)].map((match) => match[1]));
  const used = new Set([...all.matchAll(/"\{\{(\w+)\}\}"/g)].map((match) => match[1]));
  t.ok(used.size > 5);
  t.strictSame(
    [...used].filter((name) => !set.has(name)),
    [],
  );
});

t.test("bruno - the token is a secret of the environment, and in no file", async (t) => {
  const { variables } = bruno.bruToEnvJsonV2(files.get("environments/all-in-one.bru") as string);
  t.match(variables, [
    { name: "base_url", value: "http://127.0.0.1:8080", secret: false },
    { name: "token", secret: true },
  ]);
  t.notOk(variables[1]?.value);
  const { auth } = bruno.collectionBruToJson(files.get("collection.bru") as string);
  t.match(auth, { mode: "bearer", bearer: { token: "{{token}}" } });
  for (const text of files.values()) t.notMatch(text, /stp_live_/);
});

t.test("bruno - its folder holds these files and no other", async (t) => {
  const folder = join(ROOT, BRUNO_FOLDER);
  const there = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
  t.strictSame(there.sort(), [...files.keys()].sort());
});

/** The value with every text left out: what is the same with variables as with ids. */
function formOf(value: unknown): unknown {
  if (typeof value === "string") return "text";
  if (Array.isArray(value)) return value.map(formOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, formOf(inner)]));
}
