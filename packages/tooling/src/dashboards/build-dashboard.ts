import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { buildPanel, DATA_SOURCE } from "./build-panel.ts";
import { link } from "./link.ts";
import { DASHBOARD_NAMES, type DashboardSpec, dashboardPath, dashboardUid } from "./panel-spec.ts";
import { placeRows } from "./place-panels.ts";

/**
 * A dashboard as Grafana stores it, by the builders that Grafana publishes for its own schema.
 * @param runbookPath where the runbook of an alert is
 */
export function buildDashboard(spec: DashboardSpec, runbookPath: (alert: string) => string): Dashboard {
  const builder = new DashboardBuilder(`Stampede / ${spec.title}`)
    .uid(dashboardUid(spec.name))
    .description(spec.description)
    .tags(["stampede"])
    .timezone("browser")
    .time({ from: "now-1h", to: "now" })
    .refresh("30s")
    .tooltip(DashboardCursorSync.Crosshair)
    .variables(variablesOf(spec))
    .links(linksBeside(spec));
  let id = 0;
  for (const { title, y, panels } of placeRows(spec.rows)) {
    id += 1;
    builder.withRow(new RowBuilder(title).id(id).gridPos({ h: 1, w: 24, x: 0, y }));
    for (const { panel, place } of panels) {
      id += 1;
      builder.withPanel(buildPanel(panel, runbookPath).id(id).gridPos(place));
    }
  }
  return builder.build();
}

function variablesOf({ instancesOf }: DashboardSpec) {
  const source = new DatasourceVariableBuilder("datasource").label("Prometheus").type("prometheus");
  if (instancesOf === undefined) return [source];
  const service = label("service", "label_values(stampede_build_info, service)");
  const instance = label(
    "instance",
    `label_values(stampede_build_info{service=~"${instancesOf}"}, instance)`,
  );
  return instancesOf === "$service" ? [source, service, instance] : [source, instance];
}

function label(name: string, query: string): QueryVariableBuilder {
  return (
    new QueryVariableBuilder(name)
      .label(name)
      .datasource(DATA_SOURCE)
      .query(query)
      .refresh(VariableRefresh.OnTimeRangeChanged)
      .sort(VariableSort.AlphabeticalAsc)
      .multi(true)
      .includeAll(true)
      // Not the list of all there are: a process that began a moment ago is among them.
      .allValue(".+")
      .current({ selected: true, text: "All", value: "$__all" })
  );
}

/** To every other dashboard. */
function linksBeside({ name }: DashboardSpec) {
  return DASHBOARD_NAMES.filter((other) => other !== name).map((other) => link(other, dashboardPath(other)));
}
