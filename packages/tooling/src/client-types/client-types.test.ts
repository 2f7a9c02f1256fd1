import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { ROUTES } from "#contract";
import { PLATFORM_ROUTES } from "#contract/platform";
import { ROOT } from "../root.ts";
import { clientFiles } from "./client-types.ts";

t.setTimeout(400_000);

/**
 * Compared by the compiler, in a separate program: compiled with the other sources, it would keep a developer
 * who changes the contract from building the generator of the client's types.
 */
const COMPARISON = `
import type { Static, TSchema } from "typebox";
import type { Answer, PlatformAnswer, PlatformRequestOf, RequestOf, WebhookEvent } from "#client";
import type { WebhookEvent as ContractEvent, ROUTES } from "#contract";
import type { PLATFORM_ROUTES } from "#contract/platform";

type BodyOf<S> = S extends TSchema ? Static<S> : never;
/** The forms that a caller may also write: read-only lists, and undefined for optional fields. */
type Loose<T> = T extends readonly (infer E)[] ? readonly Loose<E>[]
  : T extends object ? { [K in keyof T]: string extends K ? Loose<T[K]> : Partial<Pick<T, K>> extends Pick<T, K> ? Loose<T[K]> | undefined : Loose<T[K]> }
  : T;
// Answers are compared as loosely: it does not matter whether their lists may be changed.
type Fits<A, B> = [A] extends [B] ? true : false;
type Same<A, B> = Fits<A, B> extends true ? Fits<B, A> : false;
type Wrong<Checks> = { [K in keyof Checks]: Checks[K] extends true ? never : K }[keyof Checks];

/**
 * For these a type cannot express the whole schema, and the client's type expresses more than the contract's.
 */
type Finer = FINER;
type Requests = { [R in keyof typeof ROUTES]: R extends Finer ? Fits<RequestOf<R>, Loose<Static<(typeof ROUTES)[R]["request"]>>> : Same<RequestOf<R>, Loose<Static<(typeof ROUTES)[R]["request"]>>> };
type Answers = { [R in keyof typeof ROUTES]: Same<Loose<Answer<R>>, Loose<BodyOf<(typeof ROUTES)[R]["answers"][keyof (typeof ROUTES)[R]["answers"]]>>> };
type PlatformRequests = { [R in keyof typeof PLATFORM_ROUTES]: Same<PlatformRequestOf<R>, Loose<Static<(typeof PLATFORM_ROUTES)[R]["request"]>>> };
type PlatformAnswers = { [R in keyof typeof PLATFORM_ROUTES]: Same<Loose<PlatformAnswer<R>>, Loose<Static<(typeof PLATFORM_ROUTES)[R]["answers"][200]>>> };

type Nothing = "no route";
type Named<T> = [T] extends [never] ? Nothing : T;
export const requests: Nothing = null! as Named<Wrong<Requests>>;
export const answers: Nothing = null! as Named<Wrong<Answers>>;
export const platformRequests: Nothing = null! as Named<Wrong<PlatformRequests>>;
export const platformAnswers: Nothing = null! as Named<Wrong<PlatformAnswers>>;
export const events: true = null! as Same<WebhookEvent, ContractEvent>;

// The comparison can fail: these are not the same.
type Missing = { "member/get": Same<Answer<"member/get">, Omit<Answer<"member/get">, "ref">> };
type Other = { "member/get": Same<RequestOf<"member/list">, RequestOf<"member-base/list">> };
// @ts-expect-error
export const missing: Nothing = null! as Named<Wrong<Missing>>;
// @ts-expect-error
export const other: Nothing = null! as Named<Wrong<Other>>;
`;

/** Routes whose request has forms that only say which fields occur together. */
function finerRoutes(): string[] {
  return Object.entries(ROUTES).flatMap(([route, { request }]) =>
    "oneOf" in request ? [JSON.stringify(route)] : [],
  );
}

function compile(t: Test, source: string): string {
  const folder = t.testdir({
    "comparison.ts": source,
    "tsconfig.json": JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { noEmit: true, incremental: false, tsBuildInfoFile: null, rootDir: ROOT },
      include: ["comparison.ts"],
      exclude: [],
    }),
  });
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" }).stdout;
}

t.test("client types - every request and answer has the type of its schema", async (t) => {
  t.equal(compile(t, COMPARISON.replace("FINER", finerRoutes().join(" | "))), "");
});

t.test("client types - the tables have the data about each route that a call needs", async (t) => {
  for (const { file, text } of clientFiles()) {
    t.equal(readFileSync(join(ROOT, file), "utf8"), text, `${file} is current`);
  }
  const [publisher, platform] = clientFiles().map(({ text }) => text);
  for (const route of Object.keys(ROUTES))
    t.ok(publisher?.includes(`  ${JSON.stringify(route)}: {"read":`), route);
  for (const route of Object.keys(PLATFORM_ROUTES)) {
    t.ok(platform?.includes(`  ${JSON.stringify(route)}: {"read":`), route);
  }
  t.match(publisher, '"member/list": {"read":true,"keyed":false,"cursor":"pagination"},');
  t.match(publisher, '"transaction/ingest": {"read":false,"keyed":false},');
  t.match(publisher, '"wallet.clip/save": {"read":false,"keyed":true},');
});
