import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse, stringify } from "yaml";

const SOURCE = "deploy/kubernetes";
/** Wraps no lines: they end where the author ended them. */
const FORMAT = { lineWidth: 0 } as const;

/** Objects that exist only if a value says so. */
const SWITCHES: Readonly<Record<string, string>> = {
  "nats.yaml": "nats.enabled",
  "nats-config.yaml": "nats.enabled",
  "platform.yaml": "platform.enabled",
  "console.yaml": "console.enabled",
  "service-monitor.yaml": "monitoring.enabled",
  "prometheus-rules.yaml": "monitoring.enabled",
  "certificates.yaml": "certManager.enabled",
  "ingress.yaml": "ingress.enabled",
};

/** The user who installs the chart creates the release's namespace: its labels are in the chart's notes. */
const LEFT_OUT = ["namespace.yaml"];

/** Values by their paths; later ones are added to those of the files. */
type Values = Record<string, unknown>;

/** A file of the chart, by its path in it. */
type ChartFile = readonly [name: string, text: string];

/** Writes the chart into a folder, which must have the chart's name for Helm. */
export function writeChart(root: string, folder: string): void {
  for (const [name, text] of chartFiles(root)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/**
 * The Helm chart, made from the manifests that Kustomize reads: every line of them is in a template, and
 * everything that differs between installations is a value there, with the manifest's own as its default.
 */
function chartFiles(root: string): ChartFile[] {
  const { version, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
    description: string;
  };
  const values: Values = {
    image: { repository: "stampede", tag: "" },
    hosts: { publisher: "stampede.example.com", platform: "platform.example.com" },
    ingress: { enabled: false, className: "nginx" },
    certManager: { enabled: false },
    monitoring: { enabled: false },
    nats: { enabled: true },
    platform: { enabled: true },
    console: { enabled: true },
  };
  const files = resourcesOf(root).map((path) => templateFile(root, path, values));
  const chart = {
    apiVersion: "v2",
    name: "stampede",
    description,
    type: "application",
    version,
    appVersion: version,
    kubeVersion: ">=1.27.0-0",
  };
  return [
    made("Chart.yaml", "package.json", stringify(chart, FORMAT)),
    made("values.yaml", SOURCE, valuesText(root, values)),
    ["templates/NOTES.txt", NOTES],
    ...files,
    ...included("nats-config.yaml", "deploy/nats", natsConfig(root)),
    ...included("prometheus-rules.yaml", "deploy/prometheus", prometheusRules(root)),
  ];
}

/** The manifests that Kustomize reads, with cert-manager's component. */
function resourcesOf(root: string): string[] {
  const read = (folder: string) => {
    const text = readFileSync(join(root, SOURCE, folder, "kustomization.yaml"), "utf8");
    const { resources } = parse(text) as { resources: string[] };
    return resources.filter((name) => !name.startsWith("../")).map((name) => join(folder, name));
  };
  return [...read("."), ...read("cert-manager")].filter((path) => !LEFT_OUT.includes(basename(path)));
}

function templateFile(root: string, path: string, values: Values): ChartFile {
  const name = basename(path);
  const text = readFileSync(join(root, SOURCE, path), "utf8");
  return made(`templates/${name}`, `${SOURCE}/${path}`, switched(name, templateOf(name, text, values)));
}

/**
 * A manifest that a template takes unchanged: with Prometheus' own braces, or with long texts that
 * installations do not change.
 */
function included(name: string, source: string, manifest: object): ChartFile[] {
  const include = `{{ .Files.Get "files/${name}" }}\n`;
  return [
    made(`files/${name}`, source, stringify(manifest, FORMAT)),
    made(`templates/${name}`, source, switched(name, include)),
  ];
}

/** The output of Kustomize for deploy/nats. */
function natsConfig(root: string): object {
  const folder = join(root, "deploy/nats");
  const { configMapGenerator } = parse(readFileSync(join(folder, "kustomization.yaml"), "utf8")) as {
    configMapGenerator: [{ name: string; files: string[] }];
  };
  const [{ name, files }] = configMapGenerator;
  const data = Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

function prometheusRules(root: string): object {
  const groups = ["rules", "alerts"].flatMap((kind) => {
    const folder = join(root, "deploy/prometheus", kind);
    const names = readdirSync(folder).filter((name) => name.endsWith(".yml"));
    return names
      .sort()
      .flatMap((name) => (parse(readFileSync(join(folder, name), "utf8")) as { groups: object[] }).groups);
  });
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "stampede", labels: { "app.kubernetes.io/part-of": "stampede" } },
    spec: { groups },
  };
}

function switched(name: string, text: string): string {
  const value = SWITCHES[name];
  return value === undefined ? text : `{{- if .Values.${value} }}\n${text}{{- end }}\n`;
}

/**
 * A manifest with values in place of everything that differs between installations; the defaults are noted.
 */
function templateOf(name: string, text: string, values: Values): string {
  if (text.includes("{{")) throw new Error(`${name}: braces of its own, which Helm would read as its own`);
  const part = name.replace(/\.yaml$/, "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const note = (key: string, value: unknown) => {
    values[part] = { ...(values[part] as object | undefined), [key]: value };
    return `.Values.${part}.${key}`;
  };
  if (name === "settings.yaml") return text.replace(/^data:\n[\s\S]*$/m, SETTINGS);
  return text
    .replace(/^( +image:) stampede:\S+$/m, `$1 ${IMAGE}`)
    .replace(/^( +image:) (\S+)$/m, (line, key: string, image: string) =>
      image.startsWith("{{") ? line : `${key} {{ ${note("image", image)} | quote }}`,
    )
    .replace(
      /^ {2}name: stampede-migrate\n(?= {2}labels:)/m,
      "  name: stampede-migrate-{{ .Release.Revision }}\n",
    )
    .replace(
      /^( +)(replicas|minReplicas|maxReplicas): (\d+)$/gm,
      (line, space: string, key: string, count: string) =>
        // Three servers of NATS are named in routes, certificates and settings.
        name === "nats.yaml" ? line : `${space}${key}: {{ ${note(key, Number(count))} }}`,
    )
    .replace(/^( {12})(requests|limits): (\{.*\})$/gm, (_, space: string, key: string, given: string) => {
      return `${space}${key}: {{ toJson ${note(key, parse(given))} }}`;
    })
    .replace(/storage: (\w+) /, (_, size: string) => `storage: {{ ${note("storage", size)} }} `)
    .replaceAll("stampede.example.com", "{{ .Values.hosts.publisher }}")
    .replaceAll("platform.example.com", "{{ .Values.hosts.platform }}")
    .replaceAll(/ingressClassName: \w+/g, "ingressClassName: {{ .Values.ingress.className }}");
}

const IMAGE =
  '{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}';
const SETTINGS = `data:
{{- range $name, $value := .Values.settings }}
  {{ $name }}: {{ $value | quote }}
{{- end }}
`;

/** All values, each with the manifest's own; the settings with their comments. */
function valuesText(root: string, values: Values): string {
  const text = readFileSync(join(root, SOURCE, "settings.yaml"), "utf8");
  const [, settings = ""] = /^data:\n([\s\S]*)$/m.exec(text) ?? [];
  return `${stringify(values, FORMAT)}# Settings of every service; docs/settings.md lists all of them.\nsettings:\n${settings}`;
}

function made(name: string, source: string, text: string): ChartFile {
  return [name, `# Made by \`npm run chart\` from ${source}.\n${text}`];
}

const NOTES = `Stampede {{ .Chart.AppVersion }} in namespace {{ .Release.Namespace }}.

Its pods keep to the restricted standard; have the namespace demand it:
  kubectl label namespace {{ .Release.Namespace }} pod-security.kubernetes.io/enforce=restricted

The job stampede-migrate-{{ .Release.Revision }} brings tables and streams to this version; services wait for it:
  kubectl -n {{ .Release.Namespace }} wait --for=condition=complete job/stampede-migrate-{{ .Release.Revision }} --timeout=10m
{{- if not .Values.certManager.enabled }}

Certificates are yours: the secrets nats-tls and stampede-database-ca, in the shape of deploy/kubernetes/secrets.example.yaml.
{{- end }}
`;
