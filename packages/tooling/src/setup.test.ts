import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { waitFor } from "#test-support";

const checkout = fileURLToPath(new URL("../../../../", import.meta.url));
const setupScript = join(checkout, "packages/tooling/setup.mjs");

t.setTimeout(400_000);

/** Stands in for npm: it installs the packages that the lock names, and records how it was called. */
const FAKE_NPM = `
const { cpSync, existsSync, mkdirSync, writeFileSync } = require("node:fs");
writeFileSync("npm-called", process.argv.slice(2).join(" "));
if (existsSync("npm-fails")) process.exit(1);
mkdirSync("node_modules", { recursive: true });
cpSync("package-lock.json", "node_modules/.package-lock.json");`;

interface Project {
  readonly root: string;
  setup(): { status: number | null; stdout: string; stderr: string };
  write(path: string, text: string): void;
  has(path: string): boolean;
}

function lock(version: string): string {
  const packages = {
    "": {},
    "node_modules/typescript": { version },
    "node_modules/other-platform": { version: "1.0.0", optional: true },
  };
  return JSON.stringify({ packages });
}

/** A checkout with two sources; installed from its lock, with the real compiler, unless the test undoes that. */
function project(t: Test, engines = ">=20.0.0"): Project {
  const root = t.testdir({
    "npm-cli.cjs": FAKE_NPM,
    "package.json": JSON.stringify({ type: "module", engines: { node: engines } }),
    "package-lock.json": lock("1.0.0"),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        rootDir: ".",
        outDir: "dist",
        incremental: true,
        tsBuildInfoFile: "dist/.tsbuildinfo",
        types: [],
      },
      include: ["packages", "services"],
      exclude: ["services/console/page"],
    }),
    packages: { "a.ts": "export const a: number = 1;\n" },
    services: { standalone: { src: { "main.ts": "export const main: number = 1;\n" } } },
    node_modules: { ".package-lock.json": lock("1.0.0") },
  });
  symlinkSync(join(checkout, "node_modules/typescript"), join(root, "node_modules/typescript"));
  return {
    root,
    setup: () => {
      const env = { PATH: process.env.PATH, npm_execpath: join(root, "npm-cli.cjs") };
      return spawnSync(process.execPath, [setupScript, root], { env, encoding: "utf8" });
    },
    write: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    has: (path) => existsSync(join(root, path)),
  };
}

/** Stands in for npm that runs `npm start`: a shell, which runs set-up and then the program to start. */
const NPM_START = `
const { spawn } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const [setup, root] = process.argv.slice(1);
writeFileSync(root + "/npm-pid", String(process.pid));
const script = 'node "' + setup + '" "' + root + '" 2> "' + root + '/said"; echo $? > "' + root + '/status"';
spawn("sh", ["-c", script], { stdio: "ignore" });
setInterval(() => {}, 1000);`;

/** Kills it, and ends when it is gone. */
const KILL_NPM_START = `
const pid = Number(require("node:fs").readFileSync("npm-pid", "utf8"));
process.kill(pid, "SIGKILL");
try {
  for (;;) {
    process.kill(pid, 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
} catch {}`;

const quiet = { status: 0, stdout: "", stderr: "" };

t.test("setup - code for browsers is a separate project, and compiled as well", async (t) => {
  const { root, setup, write, has } = project(t);
  t.match(setup(), { stdout: "setup: compiling\n" });
  const page = "services/console/page";
  write(
    `${page}/tsconfig.json`,
    JSON.stringify({
      extends: "../../../tsconfig.json",
      compilerOptions: {
        lib: ["es2023", "dom"],
        jsx: "react",
        rootDir: "../../..",
        outDir: "../../../dist",
        tsBuildInfoFile: "../../../dist/.tsbuildinfo-page",
      },
      include: ["."],
      exclude: [],
    }),
  );
  write(`${page}/main.tsx`, "export const title: string = document.title;\n");
  t.match(setup(), { status: 0, stdout: "setup: compiling\n" });
  t.ok(has(`dist/${page}/main.js`));
  t.match(setup(), quiet);
  rmSync(join(root, `dist/${page}/main.js`));
  t.match(setup(), { status: 0, stdout: "setup: compiling\n" }, "and a missing output is made again");
  t.ok(has(`dist/${page}/main.js`));
  write(`${page}/main.tsx`, "export const title: number = document.title;\n");
  t.match(setup(), { status: 1 });
});

t.test("setup - regression: npx could not run the command of a build that was made again", async (t) => {
  const { root, setup, write } = project(t);
  const command = "dist/packages/a.js";
  write(
    "package.json",
    JSON.stringify({ type: "module", engines: { node: ">=20.0.0" }, bin: { a: command } }),
  );
  for (let build = 0; build < 2; build++) {
    rmSync(join(root, "dist"), { recursive: true, force: true });
    t.match(setup(), { status: 0, stdout: "setup: compiling\n" });
    t.equal(statSync(join(root, command)).mode & 0o777, 0o755);
  }
});

t.test(
  "setup - regression: a declaration, for which nothing is built, made every start compile",
  async (t) => {
    const { setup, write } = project(t);
    write("packages/alien.d.ts", 'declare module "alien";\n');
    t.match(setup(), { stdout: "setup: compiling\n" });
    t.match(setup(), quiet);
    write("packages/alien.d.ts", 'declare module "other";\n');
    t.match(setup(), { stdout: "setup: compiling\n" }, "a changed declaration counts");
  },
);

t.test(
  "setup - the validators are made after every compilation, and are not removed as orphans",
  async (t) => {
    const { root, setup, write } = project(t);
    const validators = join(root, "dist/packages/contract/src/validation/validators.js");
    const folder = "packages/contract/src";
    write(`${folder}/validation/validators.d.ts`, "export const VALIDATORS: string;\n");
    write(`${folder}/schemas.ts`, 'export const schemas: string = "first";\n');
    write(`${folder}/node-fs.d.ts`, 'declare module "node:fs";\n');
    write(`${folder}/validation/index.ts`, 'export * from "./validators.js";\n');
    write(
      `${folder}/compile-validators/main.ts`,
      `import { writeFileSync } from "node:fs";
import { schemas } from "../schemas.js";
writeFileSync(new URL("../validation/validators.js", (import.meta as any).url), schemas);
`,
    );
    const built = () => {
      t.match(setup(), { status: 0, stdout: "setup: compiling\n" });
      t.match(setup(), quiet);
      return readFileSync(validators, "utf8");
    };
    t.equal(built(), "first");
    write(`${folder}/schemas.ts`, 'export const schemas: string = "second";\n');
    t.equal(built(), "second", "when only a schema has changed");
    rmSync(validators);
    t.equal(built(), "second", "when they alone are missing");
    write(`${folder}/schemas.ts`, 'throw new Error("no such keyword");\nexport const schemas = "";\n');
    for (const attempt of [setup(), setup()])
      t.match(attempt, { status: 1, stderr: /the schemas do not compile/ });
  },
);

t.test(
  "setup - builds what is missing, changed or deleted, says so, and is silent when there is nothing to do",
  async (t) => {
    const { root, setup, has, write } = project(t);
    t.match(setup(), { status: 0, stdout: "setup: compiling\n", stderr: "" });
    t.ok(has("dist/packages/a.js"));
    write("packages/b.test.ts", "export const b: number = 2;\n");
    t.match(setup(), { stdout: "setup: compiling\n" });
    t.ok(has("dist/packages/b.test.js"));
    rmSync(join(root, "packages/b.test.ts"));
    t.match(setup(), { stdout: "setup: compiling\n" });
    t.notOk(has("dist/packages/b.test.js"), "a test whose source is gone would still run");
    rmSync(join(root, "dist/packages/a.js"));
    t.match(setup(), { stdout: "setup: compiling\n" });
    t.ok(has("dist/packages/a.js"));
    t.match(setup(), quiet);
    t.notOk(has("npm-called"));
  },
);

t.test("setup - sources that do not compile end the set-up, and the next one as well", async (t) => {
  const { setup, write } = project(t);
  setup();
  write("packages/a.ts", 'export const a: number = "one";\n');
  for (const attempt of [setup(), setup()]) {
    t.match(attempt, {
      status: 1,
      stdout: /packages\/a\.ts\(1,14\): error TS2322/,
      stderr: /^setup: .*mend.*\n$/,
    });
  }
});

const reasons: Array<[reason: string, spoil: (project: Project) => void]> = [
  ["an interrupted installation", ({ root }) => rmSync(join(root, "node_modules/.package-lock.json"))],
  ["another lock", ({ write }) => write("package-lock.json", lock("1.0.1"))],
];
for (const [reason, spoil] of reasons) {
  t.test(`setup - installs after ${reason}, the compiler included`, async (t) => {
    const p = project(t);
    spoil(p);
    t.match(p.setup(), {
      status: 0,
      stdout: /^setup: installing the dependencies, since .*\nsetup: compiling\n$/,
    });
    t.match(readFileSync(join(p.root, "npm-called"), "utf8"), /^ci .*--include=dev$/);
  });
}

t.test("setup - a failed installation prints one line and exits 1", async (t) => {
  const { root, setup, write } = project(t);
  rmSync(join(root, "node_modules"), { recursive: true });
  write("npm-fails", "");
  t.match(setup(), {
    status: 1,
    stderr: /^setup: npm ci failed: check the network .*, then run this again\n$/,
  });
});

t.test("setup - a production installation runs the build it was shipped with", async (t) => {
  const p = project(t);
  p.setup();
  const production = { packages: { "": {} } };
  rmSync(join(p.root, "node_modules/typescript"));
  p.write("node_modules/.package-lock.json", JSON.stringify(production));
  const packages = { "": {}, "node_modules/typescript": { version: "1.0.0", dev: true } };
  p.write("package-lock.json", JSON.stringify({ packages }));
  p.write("packages/a.ts", "export const a: number = 2;\n");
  t.match(p.setup(), quiet);
  t.notOk(p.has("npm-called"));
});

t.test("setup - a Node that is too old is named before anything else happens", async (t) => {
  const { setup, has } = project(t, ">=999.1.0");
  t.match(setup(), {
    status: 1,
    stdout: "",
    stderr: /^setup: Node 999\.1\.0 or later is needed and this is \d.*\n$/,
  });
  t.notOk(has("dist"));
});

t.test("setup - if npm is killed meanwhile, no unseen program is started", async (t) => {
  const { root, write, has } = project(t);
  rmSync(join(root, "node_modules"), { recursive: true });
  write("npm-cli.cjs", `${FAKE_NPM}\n${KILL_NPM_START}`);
  // There is a build, so no compiler is missed.
  write("dist/services/standalone/src/main.js", "");
  const env = {
    PATH: process.env.PATH,
    npm_execpath: join(root, "npm-cli.cjs"),
    npm_lifecycle_event: "start",
  };
  spawnSync(process.execPath, ["-e", NPM_START, setupScript, root], { env });
  const status = () => (has("status") ? readFileSync(join(root, "status"), "utf8").trim() : "");
  await waitFor(() => status() !== "", { deadlineMs: 60_000, message: "set-up has ended" });
  t.equal(status(), "1");
  t.match(readFileSync(join(root, "said"), "utf8"), /setup: npm has ended, so nothing is started/);
});
