import {
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import {
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder, PromQueryFormat } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TableBuilder } from "@grafana/grafana-foundation-sdk/table";
import { PanelBuilder as LinesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import { link } from "./link.ts";
import { dashboardPath, type PanelSpec, type ThresholdSpec } from "./panel-spec.ts";

/** The data source is chosen at the top of each dashboard. */
export const DATA_SOURCE = { type: "prometheus", uid: "$datasource" };

type AnyPanelBuilder = LinesBuilder | StatBuilder | TableBuilder;

/** @param runbookPath where the runbook of an alert is */
export function buildPanel(spec: PanelSpec, runbookPath: (alert: string) => string): AnyPanelBuilder {
  const builder = builderOf(spec);
  builder
    .title(spec.title)
    .description(spec.description)
    .datasource(DATA_SOURCE)
    .unit(spec.unit)
    .targets(queriesOf(spec))
    .thresholds(thresholdsOf(spec.thresholds))
    .links(linksOf(spec, runbookPath));
  if (spec.kind !== "table") builder.min(0);
  if (spec.max !== undefined) builder.max(spec.max);
  return builder;
}

function builderOf(spec: PanelSpec): AnyPanelBuilder {
  if (spec.kind === "table") return new TableBuilder();
  if (spec.kind === "stat") {
    return new StatBuilder().reduceOptions(
      new ReduceDataOptionsBuilder().calcs(["lastNotNull"]).values(false),
    );
  }
  const lines = new LinesBuilder()
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(1)
    .fillOpacity(spec.stacked ? 30 : 8)
    .showPoints(VisibilityMode.Never)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
  if (spec.thresholds !== undefined) {
    lines.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  return spec.stacked ? lines.stacking(new StackingConfigBuilder().mode(StackingMode.Normal)) : lines;
}

function queriesOf({ queries, exemplars = false, kind }: PanelSpec): DataqueryBuilder[] {
  return queries.map(({ expr, legend }, i) => {
    const query = new DataqueryBuilder()
      .refId(String.fromCharCode("A".charCodeAt(0) + i))
      .expr(expr)
      .legendFormat(legend)
      .exemplar(exemplars);
    return kind === "table" ? query.instant().format(PromQueryFormat.Table) : query.range();
  });
}

function thresholdsOf(thresholds: readonly ThresholdSpec[] = []): ThresholdsConfigBuilder {
  // The lowest step has no value: JSON knows no minus infinity.
  const base = { value: null, color: "green" } as Threshold;
  const steps = thresholds.map(({ from, color }) => ({ value: from, color }));
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([base, ...steps]);
}

function linksOf({ alerts = [], leadsTo }: PanelSpec, runbookPath: (alert: string) => string) {
  const deeper = leadsTo === undefined ? [] : [link(`dashboard ${leadsTo}`, dashboardPath(leadsTo))];
  return [...deeper, ...alerts.map((alert) => link(`runbook ${alert}`, runbookPath(alert)))];
}
