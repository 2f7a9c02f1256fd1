import t from "tap";
import { registryHost, resetProblems, textProblems } from "./text-rules.ts";

/** Joined here, so that this file does not contain the searched texts. */
const path = (...parts: string[]) => ["", ...parts].join("/");
const host = (...parts: string[]) => parts.join(".");

t.test("text rules - a path of a developer's machine is found, with its line", async (t) => {
  for (const tie of [
    path("home", "ada", "stampede"),
    path("Users", "ada", "stampede"),
    path("root", "stampede"),
    path("work", "main"),
    ["C:", "Users", "ada"].join("\\"),
  ]) {
    t.strictSame(
      textProblems("a.md", `one\nsee ${tie}.\n`),
      ["a.md:2: holds a path of a developer's machine"],
      tie,
    );
  }
});

t.test("text rules - a package registry's host is found", async (t) => {
  for (const tie of [
    host("registry", "npmjs", "org"),
    `https://${host("npm-registry", "corp", "example")}/a`,
    `http://${host("artifactory", "example", "com")}/npm`,
  ]) {
    t.strictSame(textProblems("a.md", tie), ["a.md:1: holds a package registry's host"], tie);
  }
});

t.test("text rules - the host from which npm installs here is found, whatever its name", async (t) => {
  const registry = registryHost({ npm_config_registry: "https://packages.example:8443/npm/" });
  t.equal(registry, "packages.example");
  t.strictSame(textProblems("a.md", "see packages.example", registry), [
    "a.md:1: holds the host that npm installs from here",
  ]);
  for (const none of [undefined, "", "not a url", "http://127.0.0.1:4873", "http://localhost:4873"]) {
    t.equal(registryHost({ npm_config_registry: none }), undefined, `${none}`);
  }
});

t.test("text rules - paths of servers and of the project are fine", async (t) => {
  for (const fine of [
    path("var", "lib", "stampede"),
    path("etc", "home"),
    "a checkout under a 0700 home",
    "../../root.ts",
    "dist/work/a.js",
    "https://example.com/home/page",
    "the schema registry of the stream",
    "createRegistry(name)",
  ]) {
    t.strictSame(textProblems("a.md", fine), [], fine);
  }
});

t.test("text rules - a source that resets a socket by itself is found", async (t) => {
  const found = resetProblems(
    new Map([
      ["test/faults/a.ts", `socket.${"resetAndDestroy"}();`],
      ["test/faults/b.ts", "resetSocket(socket);"],
      ["test/support/reset-socket.ts", `socket.${"resetAndDestroy"}();`],
    ]),
  );
  t.strictSame(found, ["test/faults/a.ts: resets a socket by itself; call resetSocket of #test-support"]);
});
