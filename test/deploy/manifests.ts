import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { deployedFiles, ROOT, readDeployed } from "./deploy-folder.ts";

/** The fields that every Kubernetes object has. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: its schema is checked; the tests look at it by path
  readonly [key: string]: any;
}

export interface ManifestFile {
  /** Its path from `deploy/`. */
  readonly file: string;
  readonly manifests: readonly Manifest[];
}

/** All objects in deploy/kubernetes except kustomize's own file. A map with a key twice is an error. */
export function readManifests(): ManifestFile[] {
  return deployedFiles("kubernetes")
    .filter((file) => file.endsWith(".yaml") && !file.endsWith("/kustomization.yaml"))
    .map((file) => ({ file, manifests: parseManifests(readDeployed(file)) }));
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) throw error;
    return document.toJS() as Manifest;
  });
}

/** The module of the published schemas (Kubernetes 1.27, Prometheus operator) that has the object's kind. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  const library = apiVersion.startsWith("monitoring.coreos.com/")
    ? "@kubernetes-models/prometheus-operator"
    : "kubernetes-models";
  return `${library}/${apiVersion}/${kind}`;
}

interface Model {
  validate(): void;
}

/**
 * Kinds of cert-manager: our packages have no schema of them, so the tests look only at the fields that we
 * write.
 */
const hasSchema = ({ apiVersion }: Manifest): boolean => !apiVersion.startsWith("cert-manager.io/");

/** The fault of an object by the JSON schema of its kind. It ignores fields that the schema does not have. */
export async function schemaProblem(manifest: Manifest): Promise<string | undefined> {
  if (!hasSchema(manifest)) return undefined;
  const module = (await import(moduleOf(manifest))) as Record<string, new (data: object) => Model>;
  const Class = module[manifest.kind];
  if (Class === undefined) return `there is no schema of ${manifest.apiVersion} ${manifest.kind}`;
  try {
    new Class(manifest).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Fields that their kind does not have, which the API server drops without a word: one a line. Each object is
 * written as a literal of its kind's type, for which the compiler allows no other fields.
 */
export async function unknownFields(manifests: readonly Manifest[]): Promise<string[]> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "stampede-manifests-"));
  try {
    const lines = manifests.filter(hasSchema).map((manifest, index) => {
      const type = `import("${moduleOf(manifest)}").I${manifest.kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, null, 1)};`;
    });
    writeFileSync(join(folder, "manifests.ts"), lines.join("\n"));
    const options = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      target: "es2022",
      module: "preserve",
      moduleResolution: "bundler",
      paths: { "*": [`${join(ROOT, "node_modules")}/*`] },
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["manifests.ts"] }),
    );
    const output = await runCompiler(folder);
    return output.split("\n").filter((line) => /error TS/.test(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runCompiler(folder: string): Promise<string> {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, "-p", folder], (_, stdout, stderr) => resolve(stdout + stderr));
  });
}
