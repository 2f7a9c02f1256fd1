import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ROOT } from "../root.ts";
import { type PackageManifest, reachableFiles } from "./reachable-files.ts";

interface ClientManifest extends PackageManifest {
  readonly license: string;
  readonly engines: { readonly node: string };
}

const readText = (path: string) => readFileSync(join(ROOT, path), "utf8");
const readJson = <T>(path: string) => JSON.parse(readText(path)) as T;
const client = readJson<ClientManifest>("packages/client/package.json");

const manifest: PackageManifest = {
  exports: { ".": { types: "./dist/a.d.ts", default: "./dist/a.js" }, "./package.json": "./package.json" },
  imports: { "#b": { types: "./dist/b.d.ts", default: "./dist/b.js" } },
  dependencies: { undici: "^7.0.0" },
};

const reached = (files: Record<string, string>) =>
  [...reachableFiles(manifest, (path) => files[path] ?? `import "${path}, which is not there";`)].sort();

t.test("reachable files - code follows code, and types follow types, in either spelling", async (t) => {
  const files = {
    "dist/a.js": 'import { b } from "#b";\nimport { request } from "undici";\nimport "node:fs";\n',
    "dist/a.d.ts": 'export { c } from "./c.ts";\nexport declare const d: import("./d.js").D;\n',
    "dist/b.js": 'export * from "./e.js";\n',
    "dist/c.d.ts": 'import type { A } from "./a.ts";\n',
    "dist/d.d.ts": "",
    "dist/e.js": "",
  };
  t.strictSame(reached(files), Object.keys(files).sort());
});

t.test("reachable files - an import that the package lacks is named", async (t) => {
  const types = { "dist/a.d.ts": "" };
  t.throws(() => reached({ ...types, "dist/a.js": 'import { x } from "#server";\n' }), {
    message: "dist/a.js imports #server, which its package.json lacks",
  });
  t.throws(() => reached({ "dist/a.js": "", "dist/a.d.ts": 'import type { Static } from "typebox";\n' }), {
    message: "dist/a.d.ts imports typebox, which is no dependency of the package",
  });
});

t.test(
  "client's package.json - has the checkout's licence, Node, and versions of its dependencies",
  async (t) => {
    const root = readJson<ClientManifest>("package.json");
    t.equal(client.license, root.license);
    t.equal(client.engines.node, root.engines.node);
    t.strictSame(client.dependencies, { undici: `^${root.dependencies.undici}` });
    t.equal(readText("packages/client/LICENSE"), readText("LICENSE"));
  },
);

t.test(
  "client's package.json - its `#` names lead where the checkout's lead, for Node and for the compiler",
  async (t) => {
    const root = readJson<PackageManifest>("package.json").imports;
    const { paths } = readJson<{ compilerOptions: { paths: Record<string, string[]> } }>(
      "tsconfig.json",
    ).compilerOptions;
    for (const [name, { types, default: code }] of Object.entries(client.imports)) {
      t.equal(code.replace(/^\.\/dist\//, "./dist/"), root[name]?.default, name);
      t.equal(types, code.replace(/\.js$/, ".d.ts"), name);
    }
    for (const [name, [path]] of Object.entries(paths)) t.equal(path, root[name]?.types, name);
  },
);
