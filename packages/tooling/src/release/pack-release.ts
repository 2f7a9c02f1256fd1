import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiDescription, openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { PLATFORM_API } from "#contract/platform";
import { writeChart } from "../helm-chart.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";

/** A file of a release, as it would be uploaded. */
export interface ReleaseFile {
  /** Its path from the release's folder. */
  readonly file: string;
  /** Its kind, and its destination. */
  readonly what: string;
  readonly goesTo: string;
  /** The command that uploads it. */
  readonly command: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Its contents, if it is an archive: paths, sorted. */
  readonly contents: readonly string[];
}

type Described = Pick<ReleaseFile, "what" | "goesTo" | "command">;

const RELEASE_PAGE = "the release's page";

/** Makes all files of a release except the image, which needs a container engine, in an empty folder. */
export function packRelease(root: string, version: string, out: string): ReleaseFile[] {
  const page = (file: string): Pick<ReleaseFile, "goesTo" | "command"> => ({
    goesTo: RELEASE_PAGE,
    command: `gh release upload v${version} ${file}`,
  });
  const files: ReleaseFile[] = [];
  const add = (file: string, described: Described) => files.push(describe(out, file, described));

  const server = packNpm(root, ".", out);
  add(server, { what: "services and the command, with deploy/ and docs/", ...page(server) });
  buildClient(root);
  const client = packNpm(root, "packages/client", out);
  add(client, {
    what: "the TypeScript client",
    goesTo: "npm",
    command: `npm publish ${client} --access public`,
  });
  const chart = packChart(root, version, out);
  add(chart, {
    what: "the Helm chart",
    goesTo: "a registry of charts",
    command: `helm push ${chart} oci://REGISTRY/charts`,
  });
  for (const [name, api] of [
    ["publisher.v1", PUBLISHER_API],
    ["platform.v1", PLATFORM_API],
  ] as const) {
    const file = writeDocument(out, name, api);
    add(file, { what: `the OpenAPI document of ${name}`, ...page(file) });
  }
  writeFileSync(join(out, "THIRD-PARTY-NOTICES.txt"), thirdPartyNotices(root));
  add("THIRD-PARTY-NOTICES.txt", {
    what: "the licences of what is shipped",
    ...page("THIRD-PARTY-NOTICES.txt"),
  });
  const sums = files.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join("");
  writeFileSync(join(out, "SHA256SUMS"), sums);
  add("SHA256SUMS", { what: "for `sha256sum -c`", ...page("SHA256SUMS") });
  return files;
}

function describe(out: string, file: string, described: Described): ReleaseFile {
  const bytes = readFileSync(join(out, file));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { file, ...described, bytes: bytes.length, sha256, contents: archiveContents(join(out, file)) };
}

/** Paths in a tar, without folders. */
function archiveContents(path: string): string[] {
  if (!path.endsWith(".tgz")) return [];
  const listed = execFileSync("tar", ["-tzf", path], { encoding: "utf8", maxBuffer: 2 ** 26 });
  return listed
    .split("\n")
    .filter((line) => line !== "" && !line.endsWith("/"))
    .sort();
}

function packNpm(root: string, folder: string, out: string): string {
  mkdirSync(join(out, "npm"), { recursive: true });
  // The packages' scripts would only build what is built already, and nothing else may run.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", join(out, "npm")];
  const output = execFileSync("npm", args, {
    cwd: join(root, folder),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 26,
  });
  const [{ filename }] = JSON.parse(output) as [{ filename: string }];
  return `npm/${filename}`;
}

function buildClient(root: string): void {
  const program = join(root, "dist/packages/tooling/src/client-package/build.js");
  execFileSync(process.execPath, [program], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}

/** Packs like `helm package`, but with the same bytes each time. */
function packChart(root: string, version: string, out: string): string {
  const folder = join(out, "helm/stampede");
  writeChart(root, folder);
  const file = `helm/stampede-${version}.tgz`;
  const fixed = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  const archive = execFileSync("tar", [...fixed, "-cf", "-", "-C", join(out, "helm"), "stampede"], {
    maxBuffer: 2 ** 26,
  });
  rmSync(folder, { recursive: true });
  // -n: the archive has neither the name nor the time of the file.
  writeFileSync(join(out, file), execFileSync("gzip", ["-9n"], { input: archive, maxBuffer: 2 ** 26 }));
  return file;
}

function writeDocument(out: string, name: string, api: ApiDescription): string {
  mkdirSync(join(out, "openapi"), { recursive: true });
  const file = `openapi/${name}.json`;
  writeFileSync(join(out, file), `${JSON.stringify(openApiDocument(api), null, 2)}\n`);
  return file;
}
