import { type ChildProcessByStdio, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
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
  readonly image: { readonly name: string; readonly sources: readonly string[] };
}

const MAIN = join(ROOT, "dist/packages/tooling/src/release/main.js");
const dir = t.testdir({ release: {} });
const out = join(dir, "release");
const release = (...args: string[]) =>
  spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8", maxBuffer: 2 ** 26 });
const { status, stdout, stderr } = release("--dry-run", "--json", "--out", out);
const listed = JSON.parse(status === 0 ? stdout : "{}") as Listed;

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
  const again = release("--dry-run", "--out", out);
  t.equal(again.status, 1);
  t.match(again.stderr, /is not empty/);
});

t.test("release - the summary names the image, the tag and missing parts", async (t) => {
  const running = spawn(process.execPath, [MAIN, "--dry-run"], { stdio: ["ignore", "pipe", "inherit"] });
  const { text, missed } = await readingBeside(running);
  t.equal(missed, undefined, "the client's files are there while it is built, for another `npm pack`");
  t.equal(running.exitCode, 0);
  t.match(text, /^Stampede \d.*, a dry run: nothing is kept\. Nothing is uploaded\.\n/);
  t.match(text, `image stampede:${VERSION}  (made of `);
  t.match(text, /to a registry of containers: {2}docker build -f deploy\/image\/Dockerfile/);
  t.match(text, `git tag -s v${VERSION}`);
});

/** The program's output, and the first error of reading a file of the client's package until it ends. */
async function readingBeside(running: ChildProcessByStdio<null, Readable, null>) {
  const file = join(ROOT, "packages/client/dist/packages/client/src/index.js");
  let text = "";
  let missed: unknown;
  running.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const timer = setInterval(() => {
    try {
      readFileSync(file);
    } catch (error) {
      missed ??= error;
    }
  }, 2);
  await once(running, "close");
  clearInterval(timer);
  return { text, missed };
}
