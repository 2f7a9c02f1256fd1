import type { DashboardSpec, RowSpec } from "./panel-spec.ts";
import { byLabel, latency, mean, quantile, rateBy } from "./queries.ts";

const HERE = 'service="edge", instance=~"$instance"';
const REQUESTS = `stampede_http_requests_total{${HERE}}`;
const OUR_ERRORS = `stampede_http_requests_total{${HERE}, code=~"internal_error|unavailable"}`;
const REFUSALS = `stampede_http_requests_total{${HERE}, code!~"ok|internal_error|unavailable"}`;
const DURATION = "stampede_http_request_duration_seconds";

const budget: RowSpec = {
  title: "What is promised: 99.9 % of requests without an error of ours, over 30 days",
  panels: [
    {
      title: "Errors of ours, over several windows",
      description:
        "Of all processes together. Both short windows above 1.44 % wake somebody; both long ones above 0.6 % are for the day.",
      unit: "percentunit",
      width: 16,
      queries: ["5m", "30m", "1h", "6h"].map((window) => ({
        expr: `service:stampede_http_errors:ratio_rate${window}`,
        legend: window,
      })),
      thresholds: [
        { from: 0.006, color: "yellow" },
        { from: 0.0144, color: "red" },
      ],
      alerts: ["StampedeErrorBudgetBurnFast", "StampedeErrorBudgetBurnSlow"],
    },
    {
      title: "Errors of ours, in number",
      description: "Fewer than ten in the window wake nobody.",
      unit: "short",
      width: 8,
      queries: [
        { expr: "service:stampede_http_errors:increase1h", legend: "in an hour" },
        { expr: "service:stampede_http_errors:increase6h", legend: "in six hours" },
      ],
    },
  ],
};

const requests: RowSpec = {
  title: "Requests",
  panels: [
    {
      title: "By route",
      description: "Answers a second, of routes that are asked for.",
      unit: "reqps",
      stacked: true,
      queries: byLabel("route", `${rateBy("route", REQUESTS)} > 0`),
    },
    {
      title: "By process",
      description: "Should be alike; one that differs is ill, or the load balancer prefers it.",
      unit: "reqps",
      queries: byLabel("instance", rateBy("instance", REQUESTS)),
    },
    {
      title: "Latency",
      description:
        "Points are single requests with their trace ids, which stand in the log and in error answers.",
      unit: "s",
      exemplars: true,
      queries: latency(DURATION, HERE),
    },
    {
      title: "Latency by route, p99",
      description: "Of routes that were asked for. `transaction/ingest` waits for the commit.",
      unit: "s",
      queries: byLabel("route", `${quantile(0.99, DURATION, HERE, "route")} >= 0`),
    },
  ],
};

const errors: RowSpec = {
  title: "Errors and refusals",
  panels: [
    {
      title: "Errors of ours by route",
      description: "500 and 503 a second. One route only: a fault in it. All: a server behind it.",
      unit: "reqps",
      stacked: true,
      queries: [
        {
          expr: `sum by (route, code) (rate(${OUR_ERRORS}[$__rate_interval])) > 0 or vector(0)`,
          legend: "{{route}} {{code}}",
        },
      ],
      alerts: ["StampedeErrorBudgetBurnFast"],
    },
    {
      title: "Refusals by code",
      description: "What callers did wrong, or were not allowed to. Not counted against us.",
      unit: "reqps",
      stacked: true,
      queries: byLabel("code", rateBy("code", REFUSALS)),
    },
    {
      title: "Failed authentication",
      description: "Many `unknown` at once: somebody tries, or a wrong token was rolled out.",
      unit: "reqps",
      stacked: true,
      queries: byLabel("reason", rateBy("reason", `stampede_http_authentication_failures_total{${HERE}}`)),
    },
    {
      title: "Slowed down for wrong tokens",
      description: "Requests answered 429 because their address had sent many wrong tokens.",
      unit: "reqps",
      queries: byLabel("instance", rateBy("instance", `stampede_edge_authentication_slowed_total{${HERE}}`)),
    },
    {
      title: "Callers that hung up",
      description: "Before their answer. Time-outs of clients, mostly: compare with the latency.",
      unit: "reqps",
      queries: byLabel("instance", rateBy("instance", `stampede_http_requests_aborted_total{${HERE}}`)),
    },
  ],
};

const gateway: RowSpec = {
  title: "Into the streams",
  panels: [
    {
      title: "Packed messages",
      description: "By outcome. Refused: the stream is full or does not answer.",
      unit: "ops",
      queries: byLabel("outcome", rateBy("outcome", `stampede_edge_publishes_total{${HERE}}`)),
      alerts: ["StampedeStreamFull", "StampedeNatsDisconnected"],
    },
    {
      title: "Events in a message",
      description: "Grows with the load, up to 1000: that is how the edge saves syncs.",
      unit: "short",
      queries: [{ expr: mean("stampede_edge_message_events", HERE), legend: "mean" }],
    },
    {
      title: "Publishing",
      description: "From closing a packed message to the stream's word on it: NATS and its disk.",
      unit: "s",
      queries: latency("stampede_edge_publish_duration_seconds", HERE),
    },
    {
      title: "Waiting for the outcome",
      description: "From the stream's word to ingest's report. From 5 s on callers get 202.",
      unit: "s",
      queries: latency("stampede_edge_outcome_wait_duration_seconds", HERE),
      alerts: ["StampedeIngestLatency"],
    },
  ],
};

const saturation: RowSpec = {
  title: "Saturation",
  panels: [
    {
      title: "Refused at once",
      description: "Ingest requests that were refused before anything was published, by reason.",
      unit: "reqps",
      queries: byLabel("reason", rateBy("reason", `stampede_edge_backpressure_total{${HERE}}`)),
      alerts: ["StampedeErrorBudgetBurnFast"],
    },
    {
      title: "Events without outcome",
      description: "From 16,000 on requests are refused at the door, from 20,000 on all are.",
      unit: "short",
      queries: byLabel("instance", `sum by (instance) (stampede_edge_unanswered_events{${HERE}})`),
      thresholds: [
        { from: 16_000, color: "yellow" },
        { from: 20_000, color: "red" },
      ],
    },
    {
      title: "Under way",
      description:
        "Requests that wait for their answer, and messages without the stream's word (256 at most).",
      unit: "short",
      queries: [
        {
          expr: `sum by (instance) (stampede_http_requests_in_flight{${HERE}})`,
          legend: "{{instance}} requests",
        },
        {
          expr: `sum by (instance) (stampede_edge_publishes_in_flight{${HERE}})`,
          legend: "{{instance}} messages",
        },
      ],
    },
    {
      title: "Bodies on their way in",
      description: "Request bodies that have not arrived whole; from 32 MiB on new requests get 503.",
      unit: "bytes",
      queries: byLabel("instance", `sum by (instance) (stampede_http_buffered_bytes{${HERE}})`),
      thresholds: [{ from: 32 * 1024 * 1024, color: "red" }],
      leadsTo: "runtime",
    },
  ],
};

export const EDGE: DashboardSpec = {
  name: "edge",
  title: "Edge",
  description: "The publisher API: requests, errors, latency, and the way into the streams.",
  instancesOf: "edge",
  rows: [budget, requests, errors, gateway, saturation],
};
