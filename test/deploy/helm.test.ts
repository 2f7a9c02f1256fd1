import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { stringify } from "yaml";
import { readDeployed, VERSION } from "./deploy-folder.ts";
import { type Manifest, parseManifests, readManifests, schemaProblem, unknownFields } from "./manifests.ts";
import { CHART, hasHelm, helmEnvironment, renderChart, renderTemplate } from "./render-chart.ts";

const EVERYTHING = {
  ingress: { enabled: true },
  certManager: { enabled: true },
  monitoring: { enabled: true },
};

/** The objects of the chart with these values, by kind and name. */
function objectsOf(changes: object): Map<string, Manifest> {
  const texts = [...renderChart(changes)].filter(([name]) => name.endsWith(".yaml")).map(([, text]) => text);
  const manifests = texts.flatMap(parseManifests).filter((manifest) => manifest !== null);
  return new Map(manifests.map((manifest) => [keyOf(manifest), manifest]));
}

const keyOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

/** What Kustomize reads, but the namespace and the examples. */
const source = new Map(
  readManifests()
    .filter(({ file }) => !/example|namespace\.yaml/.test(file))
    .flatMap(({ manifests }) => manifests)
    .map((manifest) => [keyOf(manifest), manifest]),
);

t.test("chart - with its own values it is what Kustomize applies, object for object", async (t) => {
  const objects = objectsOf(EVERYTHING);
  const job = objects.get("Job stampede-migrate-1");
  t.ok(job, "a release has a job of its own");
  if (job !== undefined) {
    objects.delete(keyOf(job));
    objects.set("Job stampede-migrate", { ...job, metadata: { ...job.metadata, name: "stampede-migrate" } });
  }
  t.strictSame([...objects.keys()].sort(), [...source.keys()].sort());
  for (const [key, manifest] of objects) t.strictSame(manifest, source.get(key), key);
});

t.test(
  "chart - what is switched off is not there, and by default nothing needs a custom resource",
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

t.test("chart - its values change what they say", async (t) => {
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

t.test("chart - it is of this version, and its notes name the job that is there", async (t) => {
  const chart = (name: string) => readDeployed(`helm/stampede/${name}`);
  t.match(chart("Chart.yaml"), `version: ${VERSION}\nappVersion: ${VERSION}\n`);
  const notes = renderChart({}).get("NOTES.txt") ?? "";
  t.match(notes, "job/stampede-migrate-1 ");
  t.match(notes, /Certificates are yours/);
  t.notMatch(renderChart({ certManager: { enabled: true } }).get("NOTES.txt"), /Certificates are yours/);
});

t.test("chart - the renderer of these tests refuses what it does not know", async (t) => {
  const scope = { Values: {}, Chart: { AppVersion: "1" }, Release: { Revision: 1, Namespace: "a" } };
  t.throws(() => renderTemplate("{{ .Values.none }}", scope), { message: "there is no .Values.none" });
  t.throws(() => renderTemplate("{{ lookup .Chart.AppVersion }}", scope), { message: /calls lookup/ });
  t.throws(() => renderTemplate("a {{ end }} b", scope), { message: "an end too much" });
});

const skip = !hasHelm && "there is no helm: the objects were made by the renderer of these tests";
t.test("chart - helm lints it, and renders what the renderer of these tests does", { skip }, async (t) => {
  const env = helmEnvironment();
  const helm = (...args: string[]) => spawnSync("helm", args, { env, encoding: "utf8", maxBuffer: 2 ** 26 });
  const lint = helm("lint", "--strict", CHART);
  t.equal(lint.status, 0, lint.stdout + lint.stderr);
  const values = join(t.testdir(), "values.yaml");
  for (const changes of [{}, EVERYTHING, { nats: { enabled: false }, ingest: { replicas: 5 } }]) {
    writeFileSync(values, stringify(changes));
    const { status, stdout, stderr } = helm("template", "stampede", CHART, "-n", "stampede", "-f", values);
    t.equal(status, 0, stderr);
    const rendered = parseManifests(stdout).filter((manifest) => manifest !== null);
    const own = objectsOf(changes);
    t.strictSame(rendered.map(keyOf).sort(), [...own.keys()].sort());
    for (const manifest of rendered) t.strictSame(manifest, own.get(keyOf(manifest)), keyOf(manifest));
  }
});
