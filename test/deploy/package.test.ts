/** Checks what `npm pack` packs: the programs, and the documents for operators. */
import { execFileSync, spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { closeStore, connectStore } from "#postgres";
import { isolation, testServers } from "#test-support";
import { ROOT, VERSION } from "./deploy-folder.ts";

interface Packed {
  readonly filename: string;
  readonly files: ReadonlyArray<{ readonly path: string }>;
}

t.test("package - it has no tests and no benchmarks, and its command works", async (t) => {
  const dir = t.testdir();
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", dir];
  const output = execFileSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename, files }] = JSON.parse(output) as [Packed];
  const paths = files.map(({ path }) => path);
  t.strictSame(
    paths.filter((path) =>
      /compose\/secrets|\.test\.js|\/test-[^/]*\.js|^dist\/(test|bench)\/|\.ts$/.test(path),
    ),
    [],
  );
  for (const wanted of [
    "README.md",
    "SECURITY.md",
    "docs/operations/deploy.md",
    "deploy/postgres/roles.sql",
  ]) {
    t.ok(paths.includes(wanted), wanted);
  }

  execFileSync("tar", ["-xzf", join(dir, filename), "-C", dir]);
  const unpacked = join(dir, "package");
  symlinkSync(join(ROOT, "node_modules"), join(unpacked, "node_modules"));
  const servers = await testServers();
  const databaseUrl = await servers.emptyDatabaseUrl();
  const stampede = (...command: string[]) =>
    spawnSync(process.execPath, [join(unpacked, "dist/packages/cli/src/main.js"), ...command], {
      env: { DATABASE_URL: databaseUrl, STAMPEDE_STREAM_PREFIX: isolation() },
      encoding: "utf8",
    });
  t.equal(stampede("--version").stdout, `${VERSION}\n`);
  const migrated = stampede("migrate");
  t.equal(migrated.status, 0, migrated.stderr);
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  t.strictSame([...(await store`select count(*)::int as count from api_tokens`)], [{ count: 0 }]);
});
