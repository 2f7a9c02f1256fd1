import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { findPostgres, hydrateLinks, POSTGRES_MAJOR } from "./postgres-programs.ts";

t.test("binaries - have the major version of the stored data", async (t) => {
  t.equal(findPostgres().version.split(".")[0], POSTGRES_MAJOR);
});

t.test("binaries - library links that npm did not make are made, and left alone the next time", async (t) => {
  const links = [{ source: "native/lib/libx.so.1.2", target: "native/lib/libx.so" }];
  const root = t.testdir({ native: { lib: {}, "pg-symlinks.json": JSON.stringify(links) } });
  writeFileSync(join(root, "native/lib/libx.so.1.2"), "library");
  hydrateLinks(root);
  hydrateLinks(root);
  const link = join(root, "native/lib/libx.so");
  t.ok(lstatSync(link).isSymbolicLink());
  t.equal(readFileSync(link, "utf8"), "library");
});
