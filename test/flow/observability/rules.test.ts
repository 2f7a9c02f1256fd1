import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { stringify } from "yaml";
import {
  type Alert,
  PROMETHEUS_DIRECTORY,
  readAlerts,
  readRecordings,
  readYaml,
  yamlFiles,
} from "./deployed.ts";
import { readQuery } from "./promql.ts";
import { isInstalled, promtool } from "./promtool.ts";

/** promtool is Debian's package `prometheus`; .ci/run installs it. */
const needsPromtool = isInstalled("promtool") ? {} : { skip: "promtool is not installed" };
const inDirectory = (path: string) => join(PROMETHEUS_DIRECTORY, path);

interface CaseFile {
  readonly rule_files: readonly string[];
  readonly tests: readonly CaseGroup[];
}

interface CaseGroup {
  readonly name: string;
  readonly input_series: ReadonlyArray<{ readonly series: string }>;
  readonly alert_rule_test: ReadonlyArray<{
    readonly alertname: string;
    readonly exp_alerts: ReadonlyArray<{ readonly exp_labels: Readonly<Record<string, string>> }>;
  }>;
}

const alerts = readAlerts();
const recordings = new Map(readRecordings().map(({ record, expr }) => [record, expr]));
const groups = yamlFiles("tests").flatMap((path) => readYaml<CaseFile>(path).tests);

t.test("promtool accepts prometheus.yml and all rules", needsPromtool, async (t) => {
  const { ok, output } = await promtool("check", "config", inDirectory("prometheus.yml"));
  t.ok(ok, output);
  t.notMatch(output, "lint error");
});

t.test("the configuration for Kubernetes is, too", needsPromtool, async (t) => {
  const config = readYaml<{ rule_files: string[]; scrape_configs: Array<Record<string, unknown>> }>(
    "prometheus.kubernetes.yml",
  );
  // Debian builds Prometheus without Kubernetes: so promtool judges the file without the discovery of pods,
  // and the rest unchanged.
  for (const scrape of config.scrape_configs) {
    t.match(scrape.kubernetes_sd_configs, [{ role: "pod", namespaces: { names: ["stampede"] } }]);
    delete scrape.kubernetes_sd_configs;
    scrape.static_configs = [{ targets: ["127.0.0.1:9464"] }];
  }
  config.rule_files = config.rule_files.map(inDirectory);
  const directory = mkdtempSync(join(tmpdir(), "stampede-test-promtool-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "prometheus.yml");
  writeFileSync(path, stringify(config));
  const { ok, output } = await promtool("check", "config", path);
  t.ok(ok, output);
});

for (const path of yamlFiles("tests")) {
  t.test(`each alert fires on its fault and is silent otherwise - ${path}`, needsPromtool, async (t) => {
    const { ok, output } = await promtool("test", "rules", inDirectory(path));
    t.ok(ok, output);
  });
}

/** An alert, and its number if several rules have its name. */
const nameOf = ({ alert, labels }: Pick<Alert, "alert" | "labels">) =>
  `${alert} ${Object.values(labels).join(" ")}`;

t.test(
  "rules of one name differ in their labels: otherwise Alertmanager takes one for the other",
  async (t) => {
    t.strictSame(new Set(alerts.map(nameOf)).size, alerts.length);
  },
);

t.test("there are some twenty names of alerts, each for a cause", async (t) => {
  const names = new Set(alerts.map(({ alert }) => alert));
  t.ok(names.size <= 25, [...names].join(" "));
});

t.test("every alert has cases in which it fires, and cases in which it does not", async (t) => {
  for (const rule of alerts) {
    const of = groups.map((group) => ({
      group,
      cases: group.alert_rule_test.filter(({ alertname }) => alertname === rule.alert),
    }));
    const fires = of.filter(({ cases }) =>
      cases.some(({ exp_alerts }) =>
        exp_alerts.some(({ exp_labels }) =>
          Object.entries(rule.labels).every(([label, value]) => exp_labels[label] === value),
        ),
      ),
    );
    t.ok(fires.length > 0, `${nameOf(rule)} has a case in which it fires`);
    // Silence shows nothing if the series on which the alert could fire are missing.
    const silent = of.filter(
      ({ group, cases }) =>
        cases.some(({ exp_alerts }) => exp_alerts.length === 0) && hasInput(group, rule.expr),
    );
    t.ok(silent.length > 0, `${nameOf(rule)} has a case in which it is silent although it has its series`);
  }
});

t.test("every case is about an existing alert", async (t) => {
  const names = new Set(alerts.map(({ alert }) => alert));
  for (const { name, alert_rule_test } of groups) {
    for (const { alertname } of alert_rule_test) t.ok(names.has(alertname), `${name}: ${alertname}`);
  }
});

t.test("every alert says how bad it is, what it means and what to do", async (t) => {
  for (const rule of alerts) {
    t.match(rule.labels.severity, /^(critical|warning)$/, nameOf(rule));
    t.match(rule.annotations.summary, /^\S.{20,120}$/, nameOf(rule));
    t.match(rule.annotations.description, /^\S[\s\S]{60,}\.$/, nameOf(rule));
    const anchor = rule.alert.toLowerCase();
    t.equal(rule.annotations.runbook_url, `docs/operations/runbooks.md#${anchor}`, nameOf(rule));
  }
});

t.test("an alert that wakes an operator has lasted for a minute, or looks back on more", async (t) => {
  for (const rule of alerts.filter(({ labels }) => labels.severity === "critical")) {
    t.ok(rule.for !== undefined || /\[\d+[mh]\]/.test(rule.expr), nameOf(rule));
  }
});

/** The metrics that a rule finally depends on, through other rules. */
function metricsOf(expr: string): string[] {
  return readQuery(expr).selectors.flatMap(({ metric }) => {
    const recorded = recordings.get(metric);
    return recorded === undefined ? [metric] : metricsOf(recorded);
  });
}

/** For a rule that is an `or` of two, the series of one of them will do. */
function hasInput({ input_series }: CaseGroup, expr: string): boolean {
  const given = new Set(input_series.map(({ series }) => series.replace(/\{.*/, "")));
  return expr.split(/\bor\b/).some((part) => metricsOf(part).every((metric) => given.has(metric)));
}
