/** A query of a panel. */
export interface QuerySpec {
  /** PromQL. `$__rate_interval` is the window of rates, `$instance` and `$service` are what is chosen above. */
  readonly expr: string;
  /** What a line is called: text, and labels as `{{route}}`. */
  readonly legend: string;
}

/** From this value on the colour holds; the first colour, green, needs none. */
export interface ThresholdSpec {
  readonly from: number;
  readonly color: "yellow" | "red" | "green";
}

/** Units by Grafana's own names. */
export type Unit = "short" | "reqps" | "ops" | "s" | "bytes" | "percentunit" | "none" | "bool_on_off";

/** A panel, without what follows by itself from the kind and the place of it. */
export interface PanelSpec {
  /** stat: one number, and how it went. Left out: lines over time. */
  readonly kind?: "stat" | "table";
  readonly title: string;
  /** What it shows and what is normal: what somebody who sees it for the first time has to know. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly QuerySpec[];
  /** In 24ths of the page; left out: the row is shared evenly. */
  readonly width?: number;
  readonly stacked?: boolean;
  /** Shows single requests with their trace ids; for latency histograms that keep exemplars. */
  readonly exemplars?: boolean;
  readonly max?: number;
  readonly thresholds?: readonly ThresholdSpec[];
  /** Alerts that this panel explains: it links to their runbooks. */
  readonly alerts?: readonly string[];
  /** Another dashboard that goes deeper. */
  readonly leadsTo?: DashboardName;
}

export interface RowSpec {
  readonly title: string;
  readonly panels: readonly PanelSpec[];
}

export const DASHBOARD_NAMES = [
  "overview",
  "edge",
  "ingest",
  "platform",
  "rewards",
  "webhooks",
  "runtime",
  "runbooks",
] as const;
export type DashboardName = (typeof DASHBOARD_NAMES)[number];

export interface DashboardSpec {
  readonly name: DashboardName;
  readonly title: string;
  readonly description: string;
  /** Chooses processes: of one service, or of the service that is chosen beside it. Left out: no choice. */
  readonly instancesOf?: "edge" | "ingest" | "platform" | "rewards" | "webhooks" | "$service";
  readonly rows: readonly RowSpec[];
}

/** The address of a dashboard within Grafana. */
export function dashboardPath(name: DashboardName): string {
  return `/d/${dashboardUid(name)}`;
}

export function dashboardUid(name: DashboardName): string {
  return `stampede-${name}`;
}
