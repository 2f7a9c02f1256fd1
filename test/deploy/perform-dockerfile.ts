import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { readDockerignore } from "./dockerignore.ts";

/** The product of a Dockerfile, as a folder: the last stage's files, and how to run a container of it. */
export interface BuiltImage {
  /** The folder that stands for `/`. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Stage {
  readonly root: string;
  workdir: string;
  env: Record<string, string>;
  labels: Record<string, string>;
  args: Record<string, string>;
  user: string;
  entrypoint: readonly string[];
  cmd: readonly string[];
  healthcheck: readonly string[];
}

export interface BuildOptions {
  readonly dockerfile: string;
  /** The build context. */
  readonly context: string;
  /** A folder to make, with one folder for each stage. */
  readonly into: string;
  /** Runs npm itself, which needs the network, instead of copying the checkout's own packages. */
  readonly online: boolean;
}

/**
 * Does the work of `docker build`, instruction by instruction, without an engine: each stage is a folder that
 * stands for its root, and this machine's shell and Node run each RUN in it. A RUN must therefore use
 * relative paths only, and the contents of base images beside Node are missing. An unknown instruction is an
 * error.
 */
export function performDockerfile({ dockerfile, context, into, online }: BuildOptions): BuiltImage {
  const text = readFileSync(dockerfile, "utf8");
  const isSent = readDockerignore(readFileSync(`${dockerfile}.dockerignore`, "utf8"));
  const stages = new Map<string, Stage>();
  const globalArgs: Record<string, string> = {};
  const path = online ? process.env.PATH : `${offlineNpm(into)}:${process.env.PATH}`;
  let stage: Stage | undefined;
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === "ARG" && stage === undefined) {
      Object.assign(globalArgs, assignments(instruction, globalArgs));
    } else if (keyword === "FROM") {
      const [, , name = String(stages.size)] = words(instruction, globalArgs);
      stage = newStage(join(into, name));
      stages.set(name, stage);
    } else if (stage === undefined) {
      throw new Error(`${keyword} before FROM`);
    } else if (keyword === "RUN") {
      const env = { ...process.env, ...stage.env, PATH: path };
      execFileSync("/bin/sh", ["-ec", argumentsOf(instruction)], {
        cwd: inside(stage, "."),
        env,
        stdio: "pipe",
      });
    } else if (keyword === "COPY") {
      copy(instruction, stage, stages, context, isSent);
    } else {
      apply(instruction, stage);
    }
  }
  if (stage === undefined) throw new Error("there is no FROM");
  return stage;
}

function newStage(root: string): Stage {
  mkdirSync(root, { recursive: true });
  return {
    root,
    workdir: "/",
    env: {},
    labels: {},
    args: {},
    user: "root",
    entrypoint: [],
    cmd: [],
    healthcheck: [],
  };
}

function apply(instruction: Instruction, stage: Stage): void {
  const variables = { ...stage.args, ...stage.env };
  switch (instruction.getKeyword()) {
    case "WORKDIR":
      stage.workdir = resolve(stage.workdir, words(instruction, variables)[0] ?? "");
      mkdirSync(inside(stage, "."), { recursive: true });
      return;
    case "ARG":
      Object.assign(stage.args, assignments(instruction, variables));
      return;
    case "ENV":
      Object.assign(stage.env, assignments(instruction, variables));
      return;
    case "LABEL":
      Object.assign(stage.labels, assignments(instruction, variables));
      return;
    case "USER":
      stage.user = words(instruction, variables)[0] ?? "";
      return;
    case "ENTRYPOINT":
      stage.entrypoint = execForm(instruction);
      return;
    case "CMD":
      stage.cmd = execForm(instruction);
      return;
    case "HEALTHCHECK":
      stage.healthcheck = execForm(instruction);
      return;
    case "EXPOSE":
    case "STOPSIGNAL":
      return;
    default:
      throw new Error(`${instruction.getKeyword()} is not known here`);
  }
}

function copy(
  instruction: Instruction,
  stage: Stage,
  stages: ReadonlyMap<string, Stage>,
  context: string,
  isSent: (path: string) => boolean,
): void {
  const all = words(instruction, stage.args);
  const from = all.find((word) => word.startsWith("--from="))?.slice("--from=".length);
  const paths = all.filter((word) => !word.startsWith("--"));
  const destination = paths.pop() ?? "";
  const origin = from === undefined ? context : stages.get(from)?.root;
  if (origin === undefined) throw new Error(`COPY from ${from}, which is no stage`);
  for (const path of paths) {
    const source = join(origin, path);
    const intoFolder = destination.endsWith("/") || paths.length > 1;
    const isFile = statSync(source).isFile();
    const target = inside(stage, isFile && intoFolder ? join(destination, basename(path)) : destination);
    const filter = (file: string): boolean =>
      from !== undefined || file === source || isOnTheWay(relative(context, file), file, isSent);
    if (from === undefined && isFile && !isSent(path))
      throw new Error(`COPY ${path}: .dockerignore leaves it out`);
    cpSync(source, target, { recursive: true, verbatimSymlinks: true, filter });
  }
}

/** A folder that is left out may still contain files that are kept. */
function isOnTheWay(path: string, file: string, isSent: (path: string) => boolean): boolean {
  return isSent(path) || (statSync(file).isDirectory() && !/(^|\/)(node_modules|dist)$/.test(path));
}

function inside(stage: Stage, path: string): string {
  return join(stage.root, resolve(stage.workdir, path));
}

/** All text after the keyword, flags too, on one line. */
function argumentsOf(instruction: Instruction): string {
  const text = instruction.getTextContent().slice(instruction.getKeyword().length);
  return text.replaceAll(/\\\r?\n/g, " ").trim();
}

function words(instruction: Instruction, variables: Readonly<Record<string, string>>): string[] {
  return argumentsOf(instruction)
    .split(/\s+/)
    .map((word) => expand(word, variables));
}

function assignments(
  instruction: Instruction,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const pairs = argumentsOf(instruction).matchAll(/([\w.-]+)=("[^"]*"|\S*)/g);
  return Object.fromEntries(
    [...pairs].map(([, key = "", value = ""]) => [key, expand(value.replace(/^"|"$/g, ""), variables)]),
  );
}

function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)\}|\$(\w+)/g, (_, long, short) => {
    const value = variables[long ?? short];
    if (value === undefined) throw new Error(`\${${long ?? short}} has no value`);
    return value;
  });
}

/**
 * The arguments of ENTRYPOINT, CMD and HEALTHCHECK. The shell form would put a shell between the signal and
 * the process.
 */
function execForm(instruction: Instruction): readonly string[] {
  const array = /\[.*\]/s.exec(argumentsOf(instruction))?.[0];
  if (array === undefined) throw new Error(`${instruction.getKeyword()} is not in its exec form`);
  return JSON.parse(array) as string[];
}

/** A folder for the PATH in which `npm` is `offline-npm.ts`. */
function offlineNpm(into: string): string {
  const folder = join(into, "bin");
  mkdirSync(folder, { recursive: true });
  const script = fileURLToPath(new URL("./offline-npm.js", import.meta.url));
  writeFileSync(join(folder, "npm"), `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
  chmodSync(join(folder, "npm"), 0o755);
  return folder;
}
