import type { GeneratedFile } from "../root.ts";
import {
  DASHBOARD_NAMES,
  type DashboardName,
  type DashboardSpec,
  type PanelSpec,
} from "./dashboard-table.ts";
import { placeRows } from "./place-panels.ts";

/** The data source is chosen at the top of each dashboard. */
const DATA_SOURCE = { type: "prometheus", uid: "$datasource" };
/** The fields that Grafana gives every variable. */
const VARIABLE = { skipUrlSync: false, allowCustomValue: true, auto: false, auto_min: "10s", auto_count: 30 };

/** The address of a dashboard within Grafana. */
export function dashboardPath(name: DashboardName): string {
  return `/d/${uidOf(name)}`;
}

function uidOf(name: DashboardName): string {
  return `stampede-${name}`;
}

/** @param runbookPath the address of an alert's runbook */
export function renderDashboard(spec: DashboardSpec, runbookPath: (alert: string) => string): GeneratedFile {
  let id = 0;
  const panels = placeRows(spec.rows).flatMap(({ title, y, panels }) => [
    { type: "row", collapsed: false, id: ++id, panels: [], title, gridPos: { x: 0, y, w: 24, h: 1 } },
    ...panels.map(({ panel, place }) => ({ ...renderPanel(panel, runbookPath), id: ++id, gridPos: place })),
  ]);
  const others = DASHBOARD_NAMES.filter((other) => other !== spec.name);
  return dashboardFile(spec.name, {
    title: spec.title,
    description: spec.description,
    graphTooltip: CROSSHAIR,
    templating: { list: variablesOf(spec) },
    time: { from: "now-1h", to: "now" },
    refresh: "30s",
    links: others.map((other) => link(other, dashboardPath(other))),
    panels,
  });
}

const CROSSHAIR = 1;

/** One line for each setting and each panel, so that a diff shows which panel changed. */
export function dashboardFile(
  name: DashboardName,
  {
    panels,
    title,
    ...own
  }: { readonly title: string; readonly panels: readonly object[]; readonly [setting: string]: unknown },
): GeneratedFile {
  const settings = {
    title: `Stampede / ${title}`,
    uid: uidOf(name),
    tags: ["stampede"],
    timezone: "browser",
    editable: true,
    fiscalYearStartMonth: 0,
    schemaVersion: 42,
    annotations: {},
    ...own,
  };
  const line = (key: string, value: unknown) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  const lines = Object.entries(settings).map(([key, value]) => line(key, value));
  const panelLines = panels.map((panel) => `    ${JSON.stringify(panel)}`).join(",\n");
  return {
    file: `deploy/grafana/dashboards/${name}.json`,
    text: `{\n${lines.join(",\n")},\n  "panels": [\n${panelLines}\n  ]\n}\n`,
  };
}

function variablesOf({ instancesOf }: DashboardSpec): object[] {
  const source = {
    type: "datasource",
    name: "datasource",
    ...VARIABLE,
    multi: false,
    includeAll: false,
    label: "Prometheus",
    query: "prometheus",
  };
  if (instancesOf === undefined) return [source];
  const service = label("service", "label_values(stampede_build_info, service)");
  const ofService = `label_values(stampede_build_info{service=~"${instancesOf}"}, instance)`;
  const instance = label("instance", ofService);
  return instancesOf === "$service" ? [source, service, instance] : [source, instance];
}

function label(name: string, query: string): object {
  return {
    type: "query",
    name,
    ...VARIABLE,
    multi: true,
    includeAll: true,
    label: name,
    datasource: DATA_SOURCE,
    query,
    refresh: 2, // when the time range changes
    sort: 1, // alphabetically
    // Not the list of the present values: this also matches a process that has just begun.
    allValue: ".+",
    current: { selected: true, text: "All", value: "$__all" },
  };
}

function renderPanel(spec: PanelSpec, runbookPath: (alert: string) => string): object {
  const { type, options, custom } = KINDS[spec.kind ?? "lines"](spec);
  return {
    type,
    transparent: false,
    repeatDirection: "h",
    options,
    fieldConfig: {
      defaults: {
        ...(custom && { custom }),
        unit: spec.unit,
        thresholds: thresholdsOf(spec),
        ...(spec.kind !== "table" && { min: 0 }),
        ...(spec.max !== undefined && { max: spec.max }),
      },
      overrides: [],
    },
    title: spec.title,
    description: spec.description,
    datasource: DATA_SOURCE,
    targets: targetsOf(spec),
    links: linksOf(spec, runbookPath),
  };
}

interface Kind {
  readonly type: string;
  readonly options: object;
  readonly custom?: object;
}

const KINDS: Readonly<Record<"lines" | "stat" | "table", (spec: PanelSpec) => Kind>> = {
  lines: ({ stacked, thresholds }) => ({
    type: "timeseries",
    options: {
      legend: { displayMode: "list", placement: "bottom", showLegend: true, calcs: [] },
      tooltip: { mode: "multi", sort: "desc" },
    },
    custom: {
      drawStyle: "line",
      lineWidth: 1,
      fillOpacity: stacked ? 30 : 8,
      showPoints: "never",
      ...(thresholds && { thresholdsStyle: { mode: "dashed" } }),
      ...(stacked && { stacking: { mode: "normal" } }),
    },
  }),
  stat: () => ({
    type: "stat",
    options: {
      graphMode: "area",
      colorMode: "value",
      justifyMode: "auto",
      textMode: "auto",
      wideLayout: true,
      showPercentChange: false,
      reduceOptions: { calcs: ["lastNotNull"], values: false },
      percentChangeColorMode: "standard",
      orientation: "auto",
    },
  }),
  table: () => ({
    type: "table",
    options: {
      frameIndex: 0,
      showHeader: true,
      showTypeIcons: false,
      footer: { show: false, reducer: [], countRows: false },
      cellHeight: "sm",
    },
    custom: { align: "auto", inspect: false },
  }),
};

function targetsOf({ queries, exemplars = false, kind }: PanelSpec): object[] {
  const when =
    kind === "table" ? { instant: true, range: false, format: "table" } : { range: true, instant: false };
  return queries.map(([legend, expr], i) => {
    const refId = String.fromCharCode("A".charCodeAt(0) + i);
    return { expr, refId, legendFormat: legend, exemplar: exemplars, ...when };
  });
}

function thresholdsOf({ thresholds = {} }: PanelSpec): object {
  const steps = Object.entries(thresholds).map(([color, value]) => ({ value, color }));
  // The lowest step has no value: JSON knows no minus infinity.
  return { mode: "absolute", steps: [{ value: null, color: "green" }, ...steps] };
}

function linksOf({ alerts = [], leadsTo }: PanelSpec, runbookPath: (alert: string) => string): object[] {
  const deeper = leadsTo === undefined ? [] : [link(`dashboard ${leadsTo}`, dashboardPath(leadsTo))];
  return [...deeper, ...alerts.map((alert) => link(`runbook ${alert}`, runbookPath(alert)))];
}

/** A link that keeps the displayed time, and is not hidden in a menu. */
function link(title: string, url: string): object {
  const shown = { icon: "", tooltip: "", tags: [], asDropdown: false };
  return { title, type: "link", url, ...shown, targetBlank: false, includeVars: false, keepTime: true };
}
