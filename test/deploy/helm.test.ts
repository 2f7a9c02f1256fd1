/**
 * Tests the chart that `npm run chart` makes of the manifests. If helm is installed, it renders the
 * templates.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parse, stringify } from "yaml";
import { deployedFiles, ROOT, readDeployed, VERSION } from "./deploy-folder.ts";
import { type Manifest, parseManifests, readManifests, schemaProblem, unknownFields } from "./manifests.ts";

const CHART = join(t.testdir(), "stampede");
execFileSync(process.execPath, [join(ROOT, "dist/packages/tooling/src/write-chart.js"), CHART]);
const read = (path: string) => readFileSync(join(CHART, path), "utf8");
const included = (name: string) => parseManifests(read(`files/${name}`))[0] as Manifest;

/** Without this machine's configuration, so that helm sends nothing anywhere. */
const env = { PATH: process.env.PATH, KUBECONFIG: "/dev/null", HOME: "/nonexistent" };
const helm = (...args: string[]) => spawnSync("helm", args, { env, encoding: "utf8", maxBuffer: 2 ** 26 });
const skip = helm("version").status !== 0 && "there is no helm";

const EVERYTHING = {
  ingress: { enabled: true },
  certManager: { enabled: true },
  monitoring: { enabled: true },
};

const keyOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
const byKey = (manifests: readonly Manifest[]) => new Map(manifests.map((one) => [keyOf(one), one]));

/** The objects that helm makes of the chart with these values. */
function objectsOf(changes: object): Map<string, Manifest> {
  const values = join(CHART, "..", "changes.yaml");
  writeFileSync(values, stringify(changes));
  const { status, stdout, stderr } = helm("template", "stampede", CHART, "-n", "stampede", "-f", values);
  if (status !== 0) throw new Error(stderr);
  return byKey(parseManifests(stdout).filter((manifest) => manifest !== null));
}

/** The manifests that Kustomize reads, except the namespace and the examples. */
const source = readManifests().filter(({ file }) => !/example|namespace\.yaml/.test(file));

t.test("chart - with its defaults put in, each template is its manifest", async (t) => {
  const values = parse(read("values.yaml"));
  const defaultOf = (path: string) => path.split(".").reduce((value, key) => value[key], values);
  for (const { file, manifests } of source) {
    const name = file.replace(/^.*\//, "");
    const text = read(`templates/${name}`)
      .replaceAll(/^\{\{- (?:if .*|end) \}\}\n/gm, "")
      .replaceAll(/\{\{ printf .* \| quote \}\}/g, `stampede:${VERSION}`)
      .replaceAll(/\{\{ (?:toJson )?\.Values\.([\w.]+)(?: \| quote)? \}\}/g, (_, path) =>
        [defaultOf(path)].map((value) => (typeof value === "object" ? JSON.stringify(value) : value)).join(),
      )
      .replaceAll("-{{ .Release.Revision }}", "");
    if (name === "settings.yaml") t.strictSame(values.settings, manifests[0]?.data);
    else t.strictSame(parseManifests(text), manifests, name);
  }
  t.strictSame(
    readdirSync(join(CHART, "templates")).sort(),
    [
      ...source.map(({ file }) => file.replace(/^.*\//, "")),
      ...["NOTES.txt", "nats-config.yaml", "prometheus-rules.yaml"],
    ].sort(),
  );
});

t.test(
  "chart - NATS' configuration and Prometheus' rules are those of the other ways to deploy",
  async (t) => {
    const { data } = included("nats-config.yaml");
    const used = deployedFiles("nats").filter((file) => /\.(conf|sh)$/.test(file) && !/single/.test(file));
    t.strictSame(Object.keys(data).sort(), used.map((file) => file.replace("nats/", "")).sort());
    for (const [name, text] of Object.entries(data)) t.equal(text, readDeployed(`nats/${name}`), name);
    const rules = included("prometheus-rules.yaml");
    const files = deployedFiles("prometheus").filter((file) => /\/(rules|alerts)\/.*\.yml$/.test(file));
    const groups = files.flatMap((file) => parse(readDeployed(file)).groups);
    const names = (all: Array<{ name: string }>) => all.map(({ name }) => name).sort();
    t.strictSame(names(rules.spec.groups), names(groups));
    for (const manifest of [included("nats-config.yaml"), rules])
      t.equal(await schemaProblem(manifest), undefined, keyOf(manifest));
    t.strictSame(await unknownFields([included("nats-config.yaml"), rules]), []);
  },
);

t.test("chart - it has this version, and its notes name the job that exists", async (t) => {
  t.match(read("Chart.yaml"), `version: ${VERSION}\nappVersion: ${VERSION}\n`);
  t.match(read("templates/migrate.yaml"), "\n  name: stampede-migrate-{{ .Release.Revision }}\n");
  t.match(read("templates/NOTES.txt"), "job/stampede-migrate-{{ .Release.Revision }} ");
});

t.test("chart - helm lints it, and renders the objects that Kustomize applies", { skip }, async (t) => {
  const lint = helm("lint", "--strict", CHART);
  t.equal(lint.status, 0, lint.stdout + lint.stderr);
  const objects = objectsOf(EVERYTHING);
  const job = objects.get("Job stampede-migrate-1");
  t.ok(job, "a release has a job of its own");
  if (job !== undefined) {
    objects.delete(keyOf(job));
    objects.set("Job stampede-migrate", { ...job, metadata: { ...job.metadata, name: "stampede-migrate" } });
  }
  const manifests = byKey([
    ...source.flatMap(({ manifests }) => manifests),
    ...["nats-config.yaml", "prometheus-rules.yaml"].map(included),
  ]);
  t.strictSame([...objects.keys()].sort(), [...manifests.keys()].sort());
  for (const [key, manifest] of objects) t.strictSame(manifest, manifests.get(key), key);
});

t.test(
  "chart - a part that is switched off is absent, and by default nothing needs a custom resource",
  { skip },
  async (t) => {
    const kinds = new Set([...objectsOf({}).values()].map(({ apiVersion }) => apiVersion.split("/")[0]));
    t.strictSame(
      [...kinds].filter((group) => /\.(io|com)$/.test(group ?? "") && !/k8s\.io$/.test(group ?? "")),
      [],
    );
    const names = [...objectsOf({ nats: { enabled: false }, platform: { enabled: false } }).keys()];
    t.strictSame(
      names.filter((name) => / (nats|nats-config|stampede-platform)$/.test(name)),
      [],
    );
    t.ok(names.includes("Deployment stampede-edge"));
  },
);

t.test("chart - each value changes what its name says", { skip }, async (t) => {
  const objects = objectsOf({
    ...EVERYTHING,
    image: { repository: "example.com/stampede", tag: "9.9.9" },
    hosts: { publisher: "loyalty.example.org" },
    settings: { STAMPEDE_PARTITIONS: "16" },
    ingest: { replicas: 7, limits: { memory: "3Gi" } },
    edge: { maxReplicas: 30 },
  });
  const container = (name: string) => objects.get(`Deployment ${name}`)?.spec.template.spec.containers[0];
  t.equal(container("stampede-edge").image, "example.com/stampede:9.9.9");
  t.strictSame(container("stampede-ingest").resources.limits, { memory: "3Gi" });
  t.equal(objects.get("Deployment stampede-ingest")?.spec.replicas, 7);
  t.equal(objects.get("HorizontalPodAutoscaler stampede-edge")?.spec.maxReplicas, 30);
  t.equal(objects.get("ConfigMap stampede-settings")?.data.STAMPEDE_PARTITIONS, "16");
  t.equal(objects.get("Ingress stampede-edge")?.spec.rules[0].host, "loyalty.example.org");
  t.strictSame(objects.get("Certificate stampede-edge-tls")?.spec.dnsNames, ["loyalty.example.org"]);
  for (const manifest of objects.values()) t.equal(await schemaProblem(manifest), undefined, keyOf(manifest));
  t.strictSame(await unknownFields([...objects.values()]), []);
});
