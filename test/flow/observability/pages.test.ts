import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { stringify } from "yaml";
import { PROMETHEUS_DIRECTORY, readAlerts, readYaml, yamlFiles } from "./deployed.ts";
import { isInstalled, promtool } from "./promtool.ts";

/**
 * One cause, one page: faults of an installation with two processes of each service, as their metrics show
 * them. promtool computes which alerts fire, every 15 s; alertmanager.yml decides which of them wake an
 * operator.
 */
const needsPromtool = isInstalled("promtool") ? {} : { skip: "promtool is not installed" };

const STEP_S = 15;
const STEPS = 140;
/** The fault begins here … */
const BEGIN = 21;
/** … and most last for ten minutes. */
const LONG = 40;

type Series = Map<string, string>;
type Labels = Readonly<Record<string, string>>;

const SERVICES = ["edge", "ingest", "platform", "rewards", "webhooks"] as const;
const OWNERS: readonly string[] = ["ingest", "platform", "rewards"];

const always = (value: number | string) => `${value}x${STEPS}`;
/** `well`, and `ill` while the fault lasts. */
const during = (steps: number, ill: string, well: number | string = 1) =>
  `${well}x${BEGIN - 1} ${ill}x${steps - 1} ${well}x${STEPS}`;
/** Rises while the fault lasts, as time does. */
const rising = (steps: number) => `0x${BEGIN - 1} 10+${STEP_S}x${steps - 1} 0x${STEPS}`;

const of = (metric: string, service: string, instance: string, more = "") =>
  `${metric}{job="stampede",service="${service}",instance="${instance}"${more}}`;

/** A healthy installation with one NATS server. */
function healthy(): Series {
  const series: Series = new Map();
  for (const service of SERVICES) {
    for (const instance of [`${service}-1`, `${service}-2`]) {
      const set = (metric: string, values: string, more = "") =>
        series.set(of(metric, service, instance, more), values);
      for (const metric of ["up", "stampede_build_info", "stampede_nats_connected", "stampede_database_up"]) {
        set(metric, always(1));
      }
      set("process_start_time_seconds", always(100));
      if (OWNERS.includes(service)) {
        set("stampede_partitions_owned", always(8));
        set("stampede_partitions", always(16));
      }
      if (service !== "edge") continue;
      set("stampede_ready", always(1));
      set("stampede_http_requests_total", `0+1500x${STEPS}`, ',code="ok"');
      set("stampede_http_requests_total", always(0), ',code="unavailable"');
    }
  }
  series.set(of("stampede_stream_replicas", "ingest", "ingest-1", ',stream="INGEST_0"'), always(1));
  series.set(of("stampede_stream_replicas_current", "ingest", "ingest-1", ',stream="INGEST_0"'), always(1));
  return series;
}

/** Replaces the values of all series that match. */
const shows = (matching: RegExp, values: string) => (series: Series) => {
  for (const name of series.keys()) if (matching.test(name)) series.set(name, values);
};
const stands = (service: string, where: string, cause: string, steps: number) => (series: Series) => {
  const more = `,where="${where}",cause="${cause}",said="so"`;
  for (const n of [1, 2])
    series.set(of("stampede_hop_standing_seconds", service, `${service}-${n}`, more), rising(steps));
};
const waits = (stream: string, steps: number) => (series: Series) =>
  series.set(
    of("stampede_stream_oldest_message_age_seconds", "rewards", "rewards-1", `,stream="${stream}"`),
    rising(steps),
  );
const refuses = (steps: number) =>
  shows(/code="unavailable"/, `0x${BEGIN - 1} 0+1500x${steps - 1} ${1500 * steps}x${STEPS}`);

interface Fault {
  readonly changes: ReadonlyArray<(series: Series) => unknown>;
  /** The alerts that wake an operator, in the order in which they fire. */
  readonly pages: readonly string[];
}

/** The faults, by their cause. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "NATS is killed for 76 seconds, on a single server": {
    changes: [
      shows(/nats_connected|replicas_current|stampede_ready/, during(5, "0")),
      refuses(5),
      stands("ingest", "INGEST", "connection", 5),
    ],
    pages: ["StampedeErrorBudgetBurn"],
  },
  "NATS is gone for ten minutes": {
    changes: [
      shows(/nats_connected|replicas_current|stampede_ready/, during(LONG, "0")),
      refuses(LONG),
      stands("ingest", "INGEST", "connection", LONG),
    ],
    pages: ["StampedeNatsDisconnected", "StampedeErrorBudgetBurn"],
  },
  "PostgreSQL is gone for ten minutes": {
    changes: [
      shows(/database_up|stampede_ready/, during(LONG, "0")),
      refuses(LONG),
      stands("ingest", "INGEST", "connection", LONG),
      waits("INGEST_0", LONG),
      waits("OUTCOMES_0", LONG),
    ],
    pages: ["StampedeDatabaseDown", "StampedeErrorBudgetBurn"],
  },
  "all of ingest is dead for ten minutes": {
    changes: [
      shows(/service="ingest"/, `1x${BEGIN - 1} _x${LONG} 1x${STEPS}`),
      shows(/partitions_owned.*service="ingest"/, `8x${BEGIN - 1} _x${LONG} 8x${STEPS}`),
      shows(/partitions\{.*service="ingest"/, `16x${BEGIN - 1} _x${LONG} 16x${STEPS}`),
      shows(/^up.*service="ingest"/, during(LONG, "0")),
      waits("INGEST_0", LONG),
    ],
    pages: ["StampedeServiceAbsent"],
  },
  "a table is locked for three minutes": {
    changes: [stands("ingest", "INGEST", "lock", 12), waits("INGEST_0", 12)],
    pages: ["StampedeHopStands"],
  },
  "the disk of PostgreSQL is full for ten minutes": {
    changes: [
      stands("ingest", "INGEST", "disk", LONG),
      stands("webhooks", "deliveries", "disk", LONG),
      waits("INGEST_0", LONG),
      waits("OUTCOMES_0", LONG),
    ],
    pages: ["StampedeHopStands"],
  },
  "the disk of NATS is full for ten minutes": {
    changes: [stands("edge", "INGEST", "disk", LONG), refuses(LONG)],
    pages: ["StampedeHopStands", "StampedeErrorBudgetBurn"],
  },
  "a right is revoked for ten minutes": {
    changes: [stands("ingest", "INGEST", "right", LONG), waits("INGEST_0", LONG)],
    pages: ["StampedeHopStands"],
  },
  "one message of a stream is refused again and again, while the others pass": {
    changes: [waits("OUTCOMES_0", LONG)],
    pages: ["StampedeHopStands"],
  },
  "the same for long, and then the edge refuses for a reason of its own": {
    changes: [
      waits("OUTCOMES_0", 2 * LONG),
      shows(/code="unavailable"/, `0x${BEGIN + LONG - 1} 0+1500x${LONG - 1} ${1500 * LONG}x${STEPS}`),
    ],
    pages: ["StampedeHopStands", "StampedeErrorBudgetBurn"],
  },
  "the platform publishes slower than it decides": {
    changes: [
      (series) =>
        series.set(
          of("stampede_platform_outcome_queue_oldest_seconds", "platform", "platform-1"),
          rising(LONG),
        ),
    ],
    pages: ["StampedeHopStands"],
  },
  "a database transaction that wrote events hangs, and all webhooks are late": {
    changes: [
      (series) =>
        series.set(
          of("stampede_webhooks_oldest_unsettled_seconds", "webhooks", "webhooks-1"),
          rising(LONG + 20),
        ),
      stands("rewards", "OUTCOMES", "lock", LONG),
      waits("OUTCOMES_0", LONG),
    ],
    pages: ["StampedeHopStands"],
  },
  "a stream of rewards fills, and is full": {
    changes: [
      (series) => {
        const more = ',stream="OUTCOMES_0"';
        series.set(of("stampede_stream_limit_bytes", "rewards", "rewards-1", more), always(1000));
        series.set(of("stampede_stream_bytes", "rewards", "rewards-1", more), during(LONG, "980", 750));
      },
    ],
    pages: ["StampedeStreamFull"],
  },
  "a partition of rewards has no reader": {
    changes: [shows(/partitions_owned.*rewards-2/, during(LONG, "7", 8)), waits("OUTCOMES_0", LONG)],
    pages: ["StampedePartitionWithoutOwner"],
  },
  "the clock of the database is an hour off": {
    changes: SERVICES.map(
      (service) => (series: Series) =>
        series.set(of("stampede_clock_offset_seconds", service, `${service}-1`), during(LONG, "3600", 0.01)),
    ),
    pages: ["StampedeClockWrong"],
  },
  "a machine with one process of each service is gone": {
    changes: [
      shows(/instance="\w+-1"/, `1x${BEGIN - 1} stale`),
      shows(/partitions_owned.*-1"/, `8x${BEGIN - 1} stale`),
      shows(/^up.*instance="\w+-1"/, `1x${BEGIN - 1} 0x${STEPS}`),
      shows(/partitions_owned.*-2"/, `8x${BEGIN} 16x${STEPS}`),
    ],
    pages: [],
  },
  "secrets are rotated, so that every process is started three times within ten minutes": {
    changes: [shows(/^process_start_time/, `100x${BEGIN} 400x10 600x10 800x${STEPS}`)],
    pages: [],
  },
};

const alertmanager = readYaml<{ route: Route; receivers: { name: string }[]; inhibit_rules: InhibitRule[] }>(
  "alertmanager.yml",
);
interface Route {
  readonly receiver: string;
  readonly group_by: readonly string[];
  readonly group_wait: string;
  readonly group_interval: string;
  readonly routes: ReadonlyArray<{ readonly matchers: readonly string[]; readonly receiver: string }>;
}
interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal?: readonly string[];
}

t.test("Alertmanager's file names existing alerts, and groups by their names", async (t) => {
  const names = new Set(readAlerts().map(({ alert }) => alert));
  const { route, receivers, inhibit_rules } = alertmanager;
  t.strictSame(route.group_by, ["alertname"]);
  const used = [route, ...route.routes].map(({ receiver }) => receiver);
  t.strictSame([...new Set(used)].sort(), receivers.map(({ name }) => name).sort());
  for (const { source_matchers, target_matchers } of inhibit_rules) {
    const said = [...source_matchers, ...target_matchers].join(" ").match(/Stampede\w+/g) ?? [];
    for (const name of said) t.ok(names.has(name), name);
    const both = names.size > 0 && [...names].filter((alertname) => isOf({ alertname }, source_matchers));
    t.strictSame(
      (both || []).filter((alertname) => isOf({ alertname }, target_matchers)),
      [],
      "none silences itself",
    );
  }
});

/** `a="b"`, `a!="b"` and `a=~"b|c"`. */
function isOf(labels: Labels, matchers: readonly string[]): boolean {
  return matchers.every((matcher) => {
    const [, label = "", how, value = ""] = /^(\w+)(=~?|!=)"(.*)"$/.exec(matcher) ?? [];
    const given = labels[label] ?? "";
    return how === "=~" ? new RegExp(`^(?:${value})$`).test(given) : (given === value) === (how === "=");
  });
}

function isInhibited(alert: Labels, firing: readonly Labels[]): boolean {
  return alertmanager.inhibit_rules.some(
    ({ source_matchers, target_matchers, equal = [] }) =>
      isOf(alert, target_matchers) &&
      firing.some(
        (source) => isOf(source, source_matchers) && equal.every((label) => source[label] === alert[label]),
      ),
  );
}

const stepsOf = (duration: string) => (Number.parseInt(duration, 10) * 60) / STEP_S;

/**
 * The groups that the pager gets. A group waits, and is looked at again at intervals; the pager gets each
 * group once.
 */
function pagesOf(timeline: ReadonlyArray<readonly Labels[]>): string[] {
  const { route } = alertmanager;
  const [wait, interval] = [stepsOf(route.group_wait), stepsOf(route.group_interval)];
  const next = new Map<string, number>();
  const pages: string[] = [];
  timeline.forEach((firing, step) => {
    const wakes = firing.filter((alert) => isOf(alert, route.routes[0]?.matchers ?? []));
    const names = new Set(wakes.map(({ alertname = "" }) => alertname));
    for (const name of next.keys()) if (!names.has(name)) next.delete(name);
    for (const name of names) {
      const due = next.get(name) ?? step + wait;
      next.set(name, step >= due ? step + interval : due);
      const isTold = wakes.some((alert) => alert.alertname === name && !isInhibited(alert, firing));
      if (step >= due && isTold && !pages.includes(name)) pages.push(name);
    }
  });
  return pages;
}

/**
 * The alerts that fire at each step. The test makes promtool expect none, and reads the real ones from its
 * complaint.
 */
async function timelineOf(series: Series): Promise<Labels[][]> {
  const directory = mkdtempSync(join(tmpdir(), "stampede-test-pages-"));
  try {
    const expr = 'ALERTS{alertstate="firing"}';
    const times = Array.from({ length: STEPS }, (_, step) => `${step * STEP_S}s`);
    const file = {
      rule_files: [...yamlFiles("rules"), ...yamlFiles("alerts")].map((path) =>
        join(PROMETHEUS_DIRECTORY, path),
      ),
      evaluation_interval: `${STEP_S}s`,
      tests: [
        {
          interval: `${STEP_S}s`,
          input_series: [...series].map(([name, values]) => ({ series: name, values })),
          promql_expr_test: times.map((eval_time) => ({ expr, eval_time, exp_samples: [] })),
        },
      ],
    };
    const path = join(directory, "faults.yml");
    writeFileSync(path, stringify(file));
    const { output } = await promtool("test", "rules", path);
    const timeline: Labels[][] = Array.from({ length: STEPS }, () => []);
    for (const [, time = "", got = ""] of output.matchAll(/time: (\S+),\s+exp: nil\s+got: (.*)/g)) {
      timeline[secondsOf(time) / STEP_S] = [...got.matchAll(/\{([^}]*)\}/g)].map(([, labels = ""]) =>
        Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]),
        ),
      );
    }
    if (!/SUCCESS|got: /.test(output)) throw new Error(output);
    return timeline;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** `5m45s` → 345. */
function secondsOf(duration: string): number {
  const [, minutes = "0", seconds = "0"] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}

const NOTHING: Readonly<Record<string, Fault>> = { nothing: { changes: [], pages: [] } };

for (const [name, { changes, pages }] of Object.entries({ ...NOTHING, ...FAULTS })) {
  t.test(`pages - ${name}: ${pages.length}`, needsPromtool, async (t) => {
    const series = healthy();
    for (const change of changes) change(series);
    const timeline = await timelineOf(series);
    if (name === "nothing") t.strictSame(timeline.flat(), []);
    t.strictSame(
      pagesOf(timeline),
      pages,
      JSON.stringify([...new Set(timeline.flat().map(({ alertname }) => alertname))]),
    );
    t.ok(pages.length <= 2);
  });
}
