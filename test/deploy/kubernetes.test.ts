import { spawnSync } from "node:child_process";
import { join, relative } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { DATABASE_CONNECTIONS } from "#contract";
import { checkSettings, drainTakesMs } from "./checked-settings.ts";
import {
  DEPLOY,
  deployedFiles,
  NEED_ENCRYPTION_KEYS,
  readDeployed,
  SERVICES,
  VERSION,
} from "./deploy-folder.ts";
import { type Manifest, parseManifests, readManifests, schemaProblem, unknownFields } from "./manifests.ts";

const files = readManifests();
const all = files.flatMap(({ manifests }) => manifests);
const ofKind = (kind: string) => all.filter((manifest) => manifest.kind === kind);
const find = (kind: string, name: string) => {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const workloads = all.filter(({ kind }) => ["Deployment", "StatefulSet", "Job"].includes(kind));
const settings = find("ConfigMap", "stampede-settings").data as Record<string, string>;
/** From the probe that found a pod not ready until the proxies on all nodes send it nothing more. */
const LOOK_AWAY_SECONDS = 3;

t.test("kubernetes - every object is valid by the schema of its kind", async (t) => {
  for (const { file, manifests } of files)
    for (const manifest of manifests)
      t.equal(
        await schemaProblem(manifest),
        undefined,
        `${file}: ${manifest.kind} ${manifest.metadata.name}`,
      );
  const wrong = structuredClone(find("Deployment", "stampede-edge"));
  wrong.spec.replicas = "two";
  t.match(await schemaProblem(wrong), /replicas must be integer/, "a wrong type is found");
});

t.test("kubernetes - no object has a field that its kind has not", async (t) => {
  const wrong = structuredClone(find("Deployment", "stampede-edge"));
  wrong.spec.template.spec.containers[0].readinesProbe = {};
  const [problem, ...others] = await unknownFields([...all, wrong]);
  t.match(problem, /readinesProbe/, "a misspelt field is found");
  t.strictSame(others, []);
});

t.test("kubernetes - kustomization.yaml has every manifest but the examples", async (t) => {
  const { resources, images } = parse(readDeployed("kubernetes/kustomization.yaml")) as {
    resources: string[];
    images: Array<{ name: string; newTag: string }>;
  };
  const manifests = deployedFiles("kubernetes")
    .map((file) => file.replace("kubernetes/", ""))
    .filter((file) => file.endsWith(".yaml") && !/example|kustomization|^cert-manager\//.test(file));
  t.strictSame([...resources].sort(), ["../nats", ...manifests]);
  t.strictSame(
    images.map(({ name, newTag }) => [name, newTag]),
    [["stampede", VERSION]],
  );
});

const kubectlVersion = () =>
  spawnSync("kubectl", ["version", "--client"], { env: { PATH: process.env.PATH }, encoding: "utf8" }).stdout;
const kubectl =
  spawnSync("kubectl", ["kustomize", "--help"], { env: { PATH: process.env.PATH } }).status === 0;
t.test("kubernetes - kustomize builds it", { skip: !kubectl && "there is no kubectl" }, async (t) => {
  // Without this machine's configuration, so that kubectl sends nothing anywhere.
  const env = { PATH: process.env.PATH, KUBECONFIG: "/dev/null", HOME: "/nonexistent" };
  const args = ["kustomize", join(DEPLOY, "kubernetes")];
  const { status, stdout, stderr } = spawnSync("kubectl", args, {
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  t.equal(status, 0, stderr);
  const built = parseManifests(stdout);
  const others = files.filter(({ file }) => /example|cert-manager/.test(file));
  const nats = built.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "nats-config");
  for (const [name, text] of Object.entries(nats?.data ?? {}))
    t.equal(text, readDeployed(`nats/${name}`), name);
  t.ok("start.sh" in (nats?.data ?? {}), "kustomize takes the files of deploy/nats");
  t.equal(built.length, 1 + all.length - others.flatMap(({ manifests }) => manifests).length);
  for (const { kind, metadata } of built)
    if (kind !== "Namespace") t.equal(metadata.namespace, "stampede", `${kind} ${metadata.name}`);
  const [, minor = ""] = /Client Version: v1\.(\d+)/.exec(kubectlVersion()) ?? [];
  if (Number(minor) < 21) return t.comment(`kubectl 1.${minor} knows no components`);
  const overlay = t.testdir({
    "kustomization.yaml": `resources: [${relative(t.testdirName, join(DEPLOY, "kubernetes"))}]
components: [${relative(t.testdirName, join(DEPLOY, "kubernetes/cert-manager"))}]
`,
  });
  const withComponent = spawnSync("kubectl", ["kustomize", overlay], {
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  t.equal(withComponent.status, 0, withComponent.stderr);
  const kinds = parseManifests(withComponent.stdout).map(({ kind }) => kind);
  t.equal(kinds.filter((kind) => kind === "Certificate").length, 4);
  t.equal(kinds.filter((kind) => kind === "Ingress").length, 2);
});

t.test("kubernetes - NATS' certificate has the names that services and servers know it by", async (t) => {
  const { dnsNames, secretName, usages } = find("Certificate", "nats-tls").spec;
  const urls = parseManifests(readDeployed("kubernetes/secrets.example.yaml")).flatMap(({ stringData }) =>
    Object.values(stringData as Record<string, string>).flatMap((text) => text.match(/@nats[\w.-]*/g) ?? []),
  );
  t.ok(urls.length > 6);
  for (const url of urls) t.ok(dnsNames.includes(url.slice(1)), url);
  t.ok(usages.includes("server auth") && usages.includes("client auth"), "both ends of a route show it");
  const sources = find("StatefulSet", "nats").spec.template.spec.volumes.flatMap(
    (volume: Manifest) => volume.projected?.sources ?? [],
  );
  t.strictSame(
    sources.map(({ secret }: Manifest) => secret.name),
    [secretName],
  );
});

t.test("kubernetes - every connection to NATS and PostgreSQL is over TLS", async (t) => {
  for (const { metadata, stringData } of parseManifests(readDeployed("kubernetes/secrets.example.yaml"))) {
    const { "database-url": database, "nats-url": nats } = stringData as Record<string, string>;
    if (database !== undefined) t.match(database, /\?sslmode=verify-full$/, metadata.name);
    for (const url of nats?.split(",") ?? []) t.match(url, /^tls:/, metadata.name);
  }
  for (const { metadata, spec } of workloads) {
    if (metadata.name === "nats") continue;
    const files = filesOfSecrets(spec.template.spec, spec.template.spec.containers[0]);
    for (const key of ["STAMPEDE_NATS_CA_FILE", "STAMPEDE_DATABASE_CA_FILE"])
      t.ok(files.has(settings[key] ?? ""), `${metadata.name}: ${key}`);
    const ofNats = spec.template.spec.volumes.flatMap((volume: Manifest) =>
      volume.projected.sources.flatMap(({ secret }: Manifest) =>
        secret.name === "nats-tls" ? secret.items.map(({ key }: { key: string }) => key) : [],
      ),
    );
    t.strictSame(ofNats, ["ca.crt"], `${metadata.name}: not the servers' key`);
  }
  for (const door of ["edge", "platform"]) {
    const [tls] = find("Ingress", `stampede-${door}`).spec.tls;
    t.equal(find("Certificate", tls.secretName).spec.dnsNames[0], tls.hosts[0]);
  }
});

t.test("kubernetes - every pod keeps to the restricted standard", async (t) => {
  const labels = ofKind("Namespace")[0]?.metadata.labels ?? {};
  t.equal(labels["pod-security.kubernetes.io/enforce"], "restricted");
  for (const { metadata, spec } of workloads) {
    const pod = spec.template.spec;
    const { securityContext } = pod;
    t.equal(securityContext.runAsNonRoot, true, `${metadata.name}: not root`);
    t.ok(securityContext.runAsUser > 0, `${metadata.name}: a number`);
    t.equal(securityContext.seccompProfile.type, "RuntimeDefault");
    t.equal(pod.automountServiceAccountToken, false, `${metadata.name}: no token`);
    t.equal(find("ServiceAccount", pod.serviceAccountName).automountServiceAccountToken, false);
    for (const container of pod.containers) {
      t.equal(container.securityContext.allowPrivilegeEscalation, false);
      t.equal(container.securityContext.readOnlyRootFilesystem, true);
      t.strictSame(container.securityContext.capabilities.drop, ["ALL"]);
      t.ok(
        container.resources.requests.cpu && container.resources.requests.memory,
        `${metadata.name}: requests`,
      );
      t.ok(container.resources.limits.memory, `${metadata.name}: a limit of memory`);
      t.match(container.image, /:\d+\.\d+\.\d+[\w.-]*$/, `${container.image}: one version`);
    }
  }
});

for (const service of SERVICES) {
  t.test(`kubernetes - ${service} has what it needs to run and to be restarted`, async (t) => {
    const deployment = find("Deployment", `stampede-${service}`);
    const { spec: pod, metadata } = deployment.spec.template;
    const [container] = pod.containers;
    t.strictSame(container.args, [service]);
    t.equal(container.image, `stampede:${VERSION}`);

    const env = environmentOf(container);
    t.strictSame(checkSettings(env).problems, [], "every setting is known and right");
    t.equal("STAMPEDE_ENCRYPTION_KEYS_FILE" in env, NEED_ENCRYPTION_KEYS.includes(service), "keys");
    const secrets = filesOfSecrets(pod, container);
    for (const [key, value] of Object.entries(env))
      if (key.endsWith("_FILE")) t.ok(secrets.has(value), `${key} is a file of a secret`);
    t.equal(
      secrets.size,
      Object.keys(env).filter((key) => key.endsWith("_FILE")).length,
      "and no other is there",
    );

    const graceMs = pod.terminationGracePeriodSeconds * 1000;
    t.ok(graceMs > drainTakesMs(env), `it may drain to its end (${graceMs} > ${drainTakesMs(env)} ms)`);
    const ops = container.ports.find(({ name }: { name: string }) => name === "ops");
    t.equal(ops.containerPort, 9464);
    t.equal(container.startupProbe.httpGet.path, "/livez");
    t.equal(container.livenessProbe.httpGet.path, "/livez", "it is not restarted because a server is away");
    t.equal(container.readinessProbe.httpGet.path, "/readyz");
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"])
      t.equal(container[probe].httpGet.port, "ops");
    const { failureThreshold, periodSeconds, timeoutSeconds } = container.readinessProbe;
    t.ok(failureThreshold >= 2, "one late answer to a probe does not take it out");
    const noticedAfterSeconds = failureThreshold * periodSeconds + timeoutSeconds;
    t.ok(
      noticedAfterSeconds + LOOK_AWAY_SECONDS < Number(env.STAMPEDE_DRAIN_DELAY_MS) / 1000,
      "the probe finds it not ready, and all proxies have dropped it, before it stops taking requests",
    );
    t.ok(pod.topologySpreadConstraints.length > 0);

    const selector = { "app.kubernetes.io/name": `stampede-${service}` };
    t.match(metadata.labels, selector);
    t.equal(
      metadata.labels["app.kubernetes.io/component"],
      service,
      "what the label `service` of metrics is made of",
    );
    t.strictSame(find("PodDisruptionBudget", `stampede-${service}`).spec.selector.matchLabels, selector);
    t.strictSame(find("NetworkPolicy", `stampede-${service}`).spec.podSelector.matchLabels, selector);
    const { spec, metadata: serviceMetadata } = find("Service", `stampede-${service}`);
    t.strictSame(spec.selector, selector);
    t.equal(serviceMetadata.labels?.["app.kubernetes.io/part-of"], "stampede", "the ServiceMonitor finds it");
    const names = container.ports.map(({ name }: { name: string }) => name);
    for (const { name, targetPort } of spec.ports)
      t.ok(names.includes(targetPort), `${name} leads to a port`);
    t.ok(spec.ports.some(({ name }: { name: string }) => name === "ops"));
  });
}

t.test(
  "kubernetes - every secret that is referred to is among the examples, and none is left over",
  async (t) => {
    const examples = parseManifests(readDeployed("kubernetes/secrets.example.yaml"));
    const given = examples.flatMap(({ metadata, stringData }) =>
      Object.keys(stringData).map((key) => `${metadata.name}/${key}`),
    );
    const wanted = workloads.flatMap(({ spec }) => {
      const pod = spec.template.spec;
      const projected = (pod.volumes ?? []).flatMap((volume: Manifest) => volume.projected?.sources ?? []);
      const items = projected.flatMap(({ secret }: Manifest) =>
        secret.items.map(({ key }: { key: string }) => `${secret.name}/${key}`),
      );
      const whole = pod.containers.flatMap((container: Manifest) =>
        (container.envFrom ?? []).flatMap(({ secretRef }: Manifest) =>
          secretRef === undefined ? [] : given.filter((key) => key.startsWith(`${secretRef.name}/`)),
        ),
      );
      return [...items, ...whole];
    });
    t.strictSame([...new Set(wanted)].sort(), given.sort());
    const nats = examples.find(({ metadata }) => metadata.name === "nats-users")?.stringData ?? {};
    const env = find("StatefulSet", "nats").spec.template.spec.containers[0].env.map(
      ({ name }: { name: string }) => name,
    );
    const read = deployedFiles("nats")
      .filter((file) => file.endsWith(".conf"))
      .flatMap((file) => [...readDeployed(file).matchAll(/^[^#\n]*\$((?:STAMPEDE_)?NATS_\w+)/gm)])
      .map(([, name]) => name as string);
    t.strictSame(
      [...new Set(read)].sort(),
      [...Object.keys(nats), ...env.filter(isNats)].sort(),
      "NATS has all of its",
    );
  },
);

t.test(
  "kubernetes - network policies allow nothing by default, and Stampede alone to reach NATS",
  async (t) => {
    const byDefault = find("NetworkPolicy", "nothing-by-default").spec;
    t.strictSame(byDefault, { podSelector: {}, policyTypes: ["Ingress", "Egress"] });
    for (const { metadata, spec } of workloads) {
      const policy = find("NetworkPolicy", metadata.name).spec;
      t.strictSame(policy.policyTypes, ["Ingress", "Egress"], metadata.name);
      t.match(spec.template.metadata.labels, policy.podSelector.matchLabels, "it is the pod's");
    }
    const ports = (rules: Array<{ ports: Array<{ port: number | string }> }>) =>
      [...new Set(rules.flatMap((rule) => rule.ports.map(({ port }) => port)))].sort();
    for (const service of SERVICES) {
      const { ingress, egress } = find("NetworkPolicy", `stampede-${service}`).spec;
      const isServer = service === "edge" || service === "platform" || service === "console";
      t.strictSame(ports(ingress), isServer ? ["http", "ops"] : ["ops"], `${service}: in`);
      const out = [4222, 53, 5432, 8222];
      const more: Partial<Record<string, number[]>> = { webhooks: [443], console: [8080, 8090, 9464] };
      t.strictSame(ports(egress), [...out, ...(more[service] ?? [])].sort(), `${service}: out`);
      const ops = ingress.find((rule: Manifest) => rule.ports.some(({ port }: Manifest) => port === "ops"));
      const selectors = ops.from.flatMap(({ podSelector }: Manifest) => podSelector?.matchLabels ?? []);
      t.strictSame(
        selectors,
        [{ "app.kubernetes.io/name": "stampede-console" }],
        `${service}: the console asks it`,
      );
    }
  },
);

t.test(
  "kubernetes - the console finds every process under one name, and Prometheus none of them twice",
  async (t) => {
    const { spec, metadata } = find("Service", "stampede-processes");
    t.match(spec, { clusterIP: "None", publishNotReadyAddresses: true });
    const [{ env }] = find("Deployment", "stampede-console").spec.template.spec.containers;
    const urls = env.find(({ name }: { name: string }) => name === "STAMPEDE_CONSOLE_OPS_URLS");
    t.equal(urls.value, `http://${metadata.name}:${spec.ports[0].port}`);
    for (const service of SERVICES) {
      const { template } = find("Deployment", `stampede-${service}`).spec;
      t.match(template.metadata.labels, spec.selector, service);
      const ports = template.spec.containers[0].ports.map(({ name }: { name: string }) => name);
      t.ok(ports.includes(spec.ports[0].targetPort), service);
    }
    const monitored = find("ServiceMonitor", "stampede").spec.selector.matchLabels;
    t.notMatch(metadata.labels ?? {}, monitored);
  },
);

t.test("kubernetes - NATS has room on its disk, ends in its own order, and keeps a majority", async (t) => {
  const { spec } = find("StatefulSet", "nats");
  const gigabytes = Number(/max_file_store: (\d+)GB/.exec(readDeployed("nats/jetstream.conf"))?.[1]);
  const claim = spec.volumeClaimTemplates[0].spec.resources.requests.storage;
  t.ok(Number(/^(\d+)Gi$/.exec(claim)?.[1]) >= 1.2 * gigabytes, `${claim} for ${gigabytes} GB`);
  t.equal(String(spec.replicas), settings.STAMPEDE_STREAM_REPLICAS);
  const limits = readDeployed("nats/limits.conf");
  const seconds = (key: string) => Number(new RegExp(`${key}: "(\\d+)s"`).exec(limits)?.[1]);
  const lameDuck = seconds("lame_duck_grace_period") + seconds("lame_duck_duration");
  t.ok(spec.template.spec.terminationGracePeriodSeconds > lameDuck, `more than ${lameDuck} s`);
  t.equal(find("PodDisruptionBudget", "nats").spec.maxUnavailable, 1);
  const servers = settings.STAMPEDE_NATS_MONITOR_URL?.split(",") ?? [];
  t.equal(servers.length, spec.replicas);
});

t.test("kubernetes - every edge that may be started has its connections", async (t) => {
  const { maxReplicas } = find("HorizontalPodAutoscaler", "stampede-edge").spec;
  const sum = (pools: object) => Object.values(pools).reduce<number>((total, size) => total + size, 0);
  const replicas = (service: string) => find("Deployment", `stampede-${service}`).spec.replicas as number;
  const writers = checkSettings(settings).settings?.ingestWriters ?? 0;
  const connections =
    maxReplicas * sum(DATABASE_CONNECTIONS.edge) +
    replicas("ingest") * (sum(DATABASE_CONNECTIONS.ingest) + writers) +
    (["platform", "rewards", "webhooks", "console"] as const).reduce(
      (total, service) => total + replicas(service) * sum(DATABASE_CONNECTIONS[service]),
      0,
    );
  const max = Number(/^max_connections = (\d+)/m.exec(readDeployed("postgres/postgresql.conf"))?.[1]);
  t.ok(connections < 0.9 * max, `${connections} of ${max}`);
});

t.test(
  "kubernetes - Prometheus finds the services, and its target labels are those that the rules expect",
  async (t) => {
    const { endpoints, jobLabel, selector } = find("ServiceMonitor", "stampede").spec;
    t.equal(jobLabel, "app.kubernetes.io/part-of");
    t.strictSame(selector.matchLabels, { "app.kubernetes.io/part-of": "stampede" });
    t.equal(endpoints[0].port, "ops");
    t.equal(endpoints[0].honorLabels, true);
  },
);

/** The environment of a container: the shared settings, and its own settings. */
function environmentOf(container: Manifest): Record<string, string> {
  const own = container.env.map(({ name, value }: { name: string; value: string }) => [name, value]);
  const image = {
    STAMPEDE_HTTP_HOST: "0.0.0.0",
    STAMPEDE_PLATFORM_HOST: "0.0.0.0",
    STAMPEDE_CONSOLE_HOST: "0.0.0.0",
    STAMPEDE_OPS_HOST: "0.0.0.0",
  };
  return { ...image, ...settings, ...Object.fromEntries(own) };
}

/** The path at which a container finds each of its secrets. */
function filesOfSecrets(pod: Manifest, container: Manifest): Set<string> {
  return new Set(
    container.volumeMounts.flatMap(({ name, mountPath }: { name: string; mountPath: string }) => {
      const volume = pod.volumes.find((candidate: { name: string }) => candidate.name === name);
      return volume.projected.sources.flatMap(({ secret }: Manifest) =>
        secret.items.map(({ path }: { path: string }) => `${mountPath}/${path}`),
      );
    }),
  );
}

function isNats(name: string): boolean {
  return /^(STAMPEDE_)?NATS_/.test(name);
}
