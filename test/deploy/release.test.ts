import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import t from "tap";
import { openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { ROOT, VERSION } from "./deploy-folder.ts";

interface Listed {
  readonly version: string;
  readonly files: ReadonlyArray<{
    readonly file: string;
    readonly goesTo: string;
    readonly command: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly contents: readonly string[];
  }>;
  readonly image: { readonly name: string; readonly sources: readonly string[]; readonly command: string };
}

const MAIN = join(ROOT, "dist/packages/tooling/src/release/main.js");
const CLIENT_FILE = join(ROOT, "packages/client/dist/packages/client/src/index.js");
const PLACEHOLDER = "// not built yet\n";
const dir = t.testdir({ release: {} });
const out = join(dir, "release");
const { status, stdout, stderr, missed } = await releaseWhileRead("--dry-run", "--json", "--out", out);
const listed = JSON.parse(status === 0 ? stdout : '{ "files": [] }') as Listed;

t.test("release - a dry run lists every file with its target, and no other exists", async (t) => {
  t.equal(status, 0, stderr);
  t.equal(listed.version, VERSION);
  t.strictSame(
    listed.files.map(({ file, goesTo }) => [file, goesTo]),
    [
      [`npm/stampede-${VERSION}.tgz`, "the release's page"],
      [`npm/stampede-loyalty-client-${VERSION}.tgz`, "npm"],
      [`helm/stampede-${VERSION}.tgz`, "a registry of charts"],
      ["openapi/publisher.v1.json", "the release's page"],
      ["openapi/platform.v1.json", "the release's page"],
      ["THIRD-PARTY-NOTICES.txt", "the release's page"],
      ["SHA256SUMS", "the release's page"],
    ],
  );
  for (const { file, command } of listed.files) t.ok(command.includes(file), command);
  const there = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(out.length + 1));
  t.strictSame(there.sort(), listed.files.map(({ file }) => file).sort());
});

t.test("release - the listed files are packed, to the byte", async (t) => {
  for (const { file, bytes, sha256, contents } of listed.files) {
    const content = readFileSync(join(out, file));
    t.equal(content.length, bytes, file);
    t.equal(createHash("sha256").update(content).digest("hex"), sha256, file);
    if (!file.endsWith(".tgz")) continue;
    const folder = join(dir, `unpacked-${file.replaceAll("/", "-")}`);
    mkdirSync(folder);
    execFileSync("tar", ["-xzf", join(out, file), "-C", folder]);
    const unpacked = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    t.strictSame(unpacked.sort(), [...contents].sort(), file);
  }
  const sums = readFileSync(join(out, "SHA256SUMS"), "utf8");
  for (const { file, sha256 } of listed.files)
    t.ok(file === "SHA256SUMS" || sums.includes(`${sha256}  ${file}\n`));
});

t.test("release - each part has its licence and every file that it runs", async (t) => {
  const contentsOf = (start: string) =>
    listed.files.find(({ file }) => file.startsWith(start))?.contents ?? [];
  const server = contentsOf("npm/stampede-0");
  for (const wanted of [
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "package.json",
    "dist/packages/cli/src/main.js",
    "dist/services/edge/src/main.js",
    "packages/publisher-db/rights.sql",
    "packages/platform-db/migrations/0001_platform.sql",
    "packages/platform-db/migrations/0002_revisions.sql",
    "deploy/kubernetes/kustomization.yaml",
    "docs/operations/deploy.md",
  ]) {
    t.ok(server.includes(`package/${wanted}`), wanted);
  }
  t.strictSame(
    server.filter((path) =>
      /\.test\.js|\/test-[^/]*\.js|dist\/(test|bench)\/|compose\/secrets|\.pem$/.test(path),
    ),
    [],
  );
  const client = contentsOf("npm/stampede-loyalty-client");
  t.ok(client.includes("package/LICENSE") && client.includes("package/dist/packages/client/src/index.js"));
  t.strictSame(
    client.filter((path) => /services|postgres|nats/.test(path)),
    [],
    "nothing of a server",
  );
  const chart = contentsOf("helm/");
  for (const wanted of ["Chart.yaml", "values.yaml", "templates/edge.yaml", "files/nats-config.yaml"])
    t.ok(chart.includes(`stampede/${wanted}`), wanted);
});

t.test("release - the documents and notices cover the shipped files", async (t) => {
  t.equal(
    readFileSync(join(out, "openapi/publisher.v1.json"), "utf8"),
    `${JSON.stringify(openApiDocument(PUBLISHER_API), null, 2)}\n`,
  );
  const notices = readFileSync(join(out, "THIRD-PARTY-NOTICES.txt"), "utf8");
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const [name, version] of Object.entries(dependencies))
    t.ok(notices.includes(`\n${name} ${version}: `), `${name} is named with its licence`);
  t.notMatch(notices, /\ntypescript \d/, "packages that only build are not shipped");
  t.match(notices, /Permission is hereby granted, free of charge/);
});

t.test("release - it does not write into a folder that is not empty", async (t) => {
  const again = spawnSync(process.execPath, [MAIN, "--dry-run", "--out", out], { encoding: "utf8" });
  t.equal(again.status, 1);
  t.match(again.stderr, /is not empty/);
});

t.test("release - of a dry run nothing is kept, even if it fails", async (t) => {
  const place = t.testdir({ tmp: {}, bin: { npm: "#!/bin/sh\nexit 1\n" } });
  chmodSync(join(place, "bin/npm"), 0o755);
  const tmp = join(place, "tmp");
  const env = { ...process.env, PATH: [join(place, "bin"), process.env.PATH].join(delimiter), TMPDIR: tmp };
  const failed = spawnSync(process.execPath, [MAIN, "--dry-run"], { env, encoding: "utf8" });
  t.equal(failed.status, 1);
  t.match(failed.stderr, `npm pack --json --ignore-scripts --pack-destination ${tmp}/stampede-release-`);
  t.strictSame(readdirSync(tmp), []);
});

t.test("release - the client's files are there while it is built, for another `npm pack`", async (t) => {
  t.equal(missed, undefined);
  t.not(readFileSync(CLIENT_FILE, "utf8"), PLACEHOLDER, "it was built");
});

t.test("release - the image is named with its tag and what it is made of", async (t) => {
  const { name, sources, command } = listed.image;
  t.equal(name, `stampede:${VERSION}`);
  t.match(command, `docker build -f deploy/image/Dockerfile -t ${name} `);
  for (const source of ["package.json", "packages", "services"]) t.ok(sources.includes(source), source);
});

/** Runs the command, and reads a file of the client's package until it ends: `missed` is the first error of that. */
async function releaseWhileRead(...args: string[]) {
  const said = { stdout: "", stderr: "" };
  let missed: unknown;
  putPlaceholder();
  const running = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  for (const where of ["stdout", "stderr"] as const) {
    running[where].setEncoding("utf8").on("data", (text: string) => {
      said[where] += text;
    });
  }
  const timer = setInterval(() => {
    try {
      readFileSync(CLIENT_FILE);
    } catch (error) {
      missed ??= error;
    }
  }, 2);
  await once(running, "close");
  clearInterval(timer);
  return { status: running.exitCode, ...said, missed };
}

/** Before the first build of a checkout there is no file that could be missed. */
function putPlaceholder(): void {
  mkdirSync(dirname(CLIENT_FILE), { recursive: true });
  try {
    // Only where there is none: another `npm pack` may build it just now.
    writeFileSync(CLIENT_FILE, PLACEHOLDER, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
