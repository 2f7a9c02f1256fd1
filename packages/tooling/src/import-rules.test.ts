import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { checkImports, importProblems } from "./import-rules.ts";
import { ROOT } from "./root.ts";
import { nameProblems } from "./text-rules.ts";

const NAMES = ["cli", "client", "contract", "domain", "embedded", "http", "runtime", "nats", "postgres"];
const ENTRIES: Record<string, string> = { "#test-support": "test/support/index.ts" };
for (const name of NAMES) ENTRIES[`#${name}`] = `packages/${name}/src/index.ts`;

/** A git checkout in a temporary folder: every package with an entry, and the given sources. */
function checkout(t: Test, sources: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "stampede-rules-"));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  spawnSync("git", ["init", "--quiet", root]);
  const files = new Map(Object.values(ENTRIES).map((path) => [path, "export const a = 1;\n"]));
  const imports = Object.entries(ENTRIES).map(([name, path]) => [name, { types: `./${path}` }]);
  files.set("package.json", JSON.stringify({ imports: Object.fromEntries(imports) }));
  for (const [path, text] of Object.entries(sources)) files.set(path, text);
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const take = (specifier: string, clause = "{ a }") => `import ${clause} from "${specifier}";\n`;

t.test("import rules - a tree that keeps them has nothing to say", async (t) => {
  const root = checkout(t, {
    "packages/domain/src/hash.ts": take("node:crypto", "{ hash }") + take("node:zlib", "{ crc32 as crc }"),
    "packages/domain/src/address.ts": take("ipaddr.js", "ipaddr"),
    "packages/domain/src/hash.test.ts":
      take("./hash.ts") + take("node:fs") + take("fast-check") + take("#test-support"),
    "packages/contract/src/errors.ts": take("#domain") + take("typebox"),
    "packages/runtime/src/log.ts": take("#contract") + take("pino") + take("prom-client"),
    "packages/runtime/src/ops.ts": take("node:http", "{ createServer }"),
    "packages/nats/src/publish.ts": take("#runtime") + take("@nats-io/jetstream"),
    "packages/postgres/src/connect.ts": take("#runtime") + take("postgres", "postgres"),
    "packages/http/src/server.ts": take("node:http", "* as http") + take("uWebSockets.js"),
    "packages/embedded/src/start.ts": take("node:http", "{ get }") + take("#runtime"),
    "packages/embedded/src/start.test.ts":
      take("postgres") + take("@nats-io/jetstream") + take("node:http", "{ createServer }"),
    "packages/client/src/send.ts": take("#contract"),
    "packages/client/src/testing/fake.ts": take("node:http", "{ createServer }"),
    "packages/cli/src/main.ts": take("#postgres") + take("#client"),
    "packages/cli/src/service-commands.ts": "await import(program);\n",
    "packages/tooling/src/generate.ts": take("#contract"),
    "services/edge/src/service.ts": take("#postgres") + take("./deep/authenticate.ts"),
    "services/edge/src/deep/authenticate.ts": take("#http"),
    "services/standalone/src/main.ts":
      'export const EDGE = new URL("../../edge/src/main.js", import.meta.url);\n',
    "services/console/page/main.tsx":
      take("preact") + take("./frame/layout.tsx") + take("#contract", "type { A }") + take("uplot", "uPlot"),
    "services/console/page/frame/layout.tsx":
      take("preact/hooks") + take("../../src/live/live-answer.ts", "type { A }"),
    "services/console/page/frame/layout.test.ts": take("tap") + take("node:fs"),
    "bench/src/ingest.ts":
      take("#client") + take("#test-support") + take("postgres") + take("node:http", "* as http"),
    "test/support/databases.ts": take("postgres") + take("#postgres"),
    "test/flow/lifecycle.test.ts": take("#test-support") + take("#client"),
  });
  t.strictSame(checkImports(root), []);
  writeFileSync(join(root, "services/edge/src/x.ts"), take("pino"));
  t.match(checkImports(root), [/^services\/edge\/src\/x\.ts: imports pino: /], "a breach is found in it");
});

/** A source that breaks one rule, and the text of the finding. */
const BREACHES: ReadonlyArray<[rule: string, file: string, source: string, said: string]> = [
  [
    "the domain stands on nothing",
    "packages/domain/src/x.ts",
    take("#contract"),
    "imports #contract: packages/domain may import no other package",
  ],
  [
    "the contract stands on the domain only",
    "packages/contract/src/x.ts",
    take("#runtime"),
    "imports #runtime: packages/contract may import #domain",
  ],
  [
    "stream and postgres do not know each other",
    "packages/nats/src/x.ts",
    take("#postgres"),
    "imports #postgres: packages/nats may import #runtime, #contract, #domain",
  ],
  [
    "the client stands on contract and domain only",
    "packages/client/src/x.ts",
    `export type { A } from "#runtime";\n`,
    "imports #runtime: packages/client may import #contract, #domain",
  ],
  [
    "embedded stands on the runtime at most",
    "packages/embedded/src/x.ts",
    `const a = await import("#contract");\n`,
    "imports #contract: packages/embedded may import #runtime",
  ],
  [
    "a new package needs a place",
    "packages/rules/src/x.ts",
    take("#domain"),
    "imports #domain, but packages/rules has no place among the layers yet",
  ],
  ["no file imports itself", "packages/http/src/x.ts", take("./x.ts"), "imports itself"],
  [
    "a service takes of the packages what it stands on",
    "services/edge/src/x.ts",
    take("#cli"),
    "imports #cli: services/edge may import #nats, #postgres, #runtime, #contract, #domain, #http, #publisher-db",
  ],
  [
    "what starts the others is not what they take",
    "services/platform/src/x.ts",
    take("#embedded"),
    "imports #embedded: services/platform may import #nats, #postgres, #runtime, #contract, #domain, #http, #platform-db",
  ],
  [
    "a new service needs a place",
    "services/reports/src/x.ts",
    take("#domain"),
    "imports #domain, but services/reports has no place among the layers yet",
  ],
  [
    "a name that package.json does not have is none",
    "services/edge/src/x.ts",
    take("#storage"),
    "imports #storage, which package.json does not have",
  ],
  [
    "no service imports a service",
    "services/edge/src/x.ts",
    take("../../ingest/src/service.ts"),
    "imports ../../ingest/src/service.ts: no service is imported, it is started as a process",
  ],
  [
    "nor does the all-in-one start",
    "services/standalone/src/x.ts",
    take("../../edge/src/main.ts"),
    "imports ../../edge/src/main.ts: no service is imported, it is started as a process",
  ],
  [
    "the page takes nothing that is not in browsers",
    "services/console/page/x.ts",
    take("node:crypto", "{ hash }"),
    "imports node:crypto: the page may import itself, its libraries, and types of #client/types, #contract, its process",
  ],
  [
    "of its own process it takes types",
    "services/console/page/x.ts",
    take("../src/rights.ts"),
    "imports ../src/rights.ts: the page may import itself, its libraries, and types of #client/types, #contract, its process",
  ],
  [
    "of the contract it takes types",
    "services/console/page/x.ts",
    take("#contract", "{ LIMITS }"),
    "imports #contract: the page may import itself, its libraries, and types of #client/types, #contract, its process",
  ],
  [
    "and its process takes nothing of the page",
    "services/console/src/x.ts",
    take("../page/pages.ts"),
    "imports ../page/pages.ts: the page runs in browsers",
  ],
  [
    "a package is entered by its door",
    "services/edge/src/x.ts",
    take("../../../packages/postgres/src/connect.ts"),
    "reaches into packages/postgres with ../../../packages/postgres/src/connect.ts: import #postgres",
  ],
  [
    "inside, the door is not used",
    "packages/postgres/src/x.ts",
    take("#postgres"),
    "imports its own #postgres: use the relative path",
  ],
  [
    "only stream takes NATS",
    "services/edge/src/x.ts",
    take("@nats-io/transport-node"),
    "imports @nats-io/transport-node: only packages/nats does",
  ],
  [
    "only the package takes the library",
    "services/edge/src/x.ts",
    take("postgres", "postgres"),
    "imports postgres: only packages/postgres does",
  ],
  [
    "only runtime takes pino",
    "packages/postgres/src/x.ts",
    take("pino", "type { Logger }"),
    "imports pino: only packages/runtime does",
  ],
  [
    "only runtime takes prom-client",
    "services/standalone/src/x.test.ts",
    take("prom-client"),
    "imports prom-client: only packages/runtime does",
  ],
  [
    "only http takes uWebSockets.js",
    "services/edge/src/x.ts",
    `createRequire(import.meta.url)(${JSON.stringify("uWebSockets.js")});\n`,
    "imports uWebSockets.js: only packages/http does",
  ],
  [
    "HTTP servers are made in two places",
    "services/edge/src/x.ts",
    take("node:http", "{ createServer as s }"),
    "can make a server of node:http: only packages/http and packages/runtime do",
  ],
  [
    "in the client only what plays the API makes one",
    "packages/client/src/webhook-handler.ts",
    take("node:http", "{ createServer }"),
    "can make a server of node:http: only packages/http and packages/runtime do",
  ],
  [
    "under any name",
    "packages/embedded/src/x.ts",
    take("node:https", "https"),
    "can make a server of node:https: only packages/http and packages/runtime do",
  ],
  [
    "the domain does no IO",
    "packages/domain/src/x.ts",
    take("node:fs", "{ readFileSync }"),
    "takes readFileSync from node:fs: the domain is pure",
  ],
  [
    "the domain draws no random numbers",
    "packages/domain/src/x.ts",
    take("node:crypto", "{ hash, randomBytes }"),
    "takes randomBytes from node:crypto: the domain is pure",
  ],
  [
    "the domain takes no library",
    "packages/domain/src/x.ts",
    take("uuidv7", "{ uuidv7 }"),
    "takes uuidv7 from uuidv7: the domain is pure",
  ],
  [
    "nor all of one",
    "packages/domain/src/x.ts",
    'import "node:zlib";\n',
    "takes all from node:zlib: the domain is pure",
  ],
  [
    "the platform's rules are as pure",
    "services/platform/src/rules/x.ts",
    take("node:crypto", "{ randomBytes }"),
    "takes randomBytes from node:crypto: the domain is pure",
  ],
  [
    "and look at nothing beside them",
    "services/platform/src/rules/x.ts",
    take("../metrics.ts"),
    "imports ../metrics.ts: the platform's rules are as pure as the domain",
  ],
  [
    "nor at what is no rule",
    "services/platform/src/rules/x.ts",
    take("#runtime"),
    "imports #runtime: the platform's rules are as pure as the domain",
  ],
  [
    "sources take no test code",
    "services/edge/src/x.ts",
    take("#test-support"),
    "imports #test-support, which is for tests",
  ],
  [
    "wherever it stands",
    "packages/http/src/x.ts",
    take("./test-server.ts"),
    "imports ./test-server.ts, which is for tests",
  ],
  [
    "what is imported is named",
    "services/edge/src/x.ts",
    "await import(name);\n",
    "imports what is only known when it runs; name it",
  ],
];

for (const [rule, file, source, said] of BREACHES) {
  t.test(`import rules - ${rule}`, async (t) => {
    t.strictSame(importProblems(new Map([[file, source]]), ENTRIES), [`${file}: ${said}`]);
  });
}

t.test("import rules - Biome finds cycles: of types, of re-exports and through entries too", async (t) => {
  const inCycles = {
    "packages/postgres/src/a.ts": take("./deep/b.ts"),
    "packages/postgres/src/deep/b.ts": take("../c.ts", "type { a }"),
    "packages/postgres/src/c.ts": take("./a.ts"),
    "packages/cli/src/index.ts": take("#client"),
    "packages/client/src/index.ts": take("#cli"),
    "packages/http/src/index.ts": 'export { a } from "./deep.ts";\n',
    "packages/http/src/deep.ts": take("./index.ts", "type { a }"),
  };
  const root = checkout(t, { ...inCycles, "packages/runtime/src/none.ts": take("./index.ts") });
  t.strictSame(foundByBiome(root, "suspicious/noImportCycles"), Object.keys(inCycles).sort());
});

t.test("file rules - files and folders are named for what they define", async (t) => {
  const names = [
    "packages/postgres/src/common/clock.ts",
    "packages/postgres/src/date-helpers.ts",
    "packages/postgres/src/utils.ts",
    "services/edge/lib/x.ts",
    "test/support/helper.ts",
  ];
  t.strictSame(
    nameProblems(names).map((problem) => problem.split(":")[0]),
    names,
  );
  const fine = ["packages/postgres/src/library-card.ts", "packages/postgres/src/calibrate.ts"];
  t.strictSame(nameProblems(fine), []);
});

t.test(
  "file rules - Biome allows sources 300 lines; tests and what is generated may have more",
  async (t) => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, i) => `export const a${i} = ${i};\n`).join("");
    const root = checkout(t, {
      "packages/postgres/src/fits.ts": lines(300),
      "packages/postgres/src/long.ts": lines(301),
      "bench/src/long.ts": lines(301),
      "packages/postgres/src/long.test.ts": lines(301),
      "packages/postgres/src/generated/long.ts": lines(301),
      "test/flow/long.ts": lines(301),
    });
    t.strictSame(foundByBiome(root, "style/noExcessiveLinesPerFile"), [
      "bench/src/long.ts",
      "packages/postgres/src/long.ts",
    ]);
  },
);

/**
 * The files of a checkout in which Biome, with the settings of this checkout, finds a rule broken; in the
 * order of their names.
 */
function foundByBiome(root: string, rule: string): string[] {
  copyFileSync(join(ROOT, "biome.json"), join(root, "biome.json"));
  const biome = join(ROOT, "node_modules/.bin/biome");
  // Not `--only=<rule>`: that would ignore the exceptions in biome.json.
  const args = ["lint", "--max-diagnostics=none", "--vcs-enabled=false", "--colors=off", "."];
  const { stdout, stderr } = spawnSync(biome, args, { cwd: root, encoding: "utf8" });
  const found = (stdout + stderr).matchAll(new RegExp(`^(\\S+\\.ts):\\d+:\\d+ lint/${rule}`, "gm"));
  return [...found].map(([, file = ""]) => file).sort();
}
