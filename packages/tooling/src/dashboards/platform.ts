import type { DashboardSpec, RowSpec } from "./panel-spec.ts";
import { byLabel, latency, quantile, rate, rateBy } from "./queries.ts";
import { streamRow } from "./stream-panels.ts";

const HERE = 'service="platform", instance=~"$instance"';

const api: RowSpec = {
  title: "Retailers and operators: the platform's API",
  panels: [
    {
      title: "Requests by route",
      description: "Answers a second, of routes that are asked for.",
      unit: "reqps",
      stacked: true,
      queries: byLabel("route", `${rateBy("route", `stampede_http_requests_total{${HERE}}`)} > 0`),
    },
    {
      title: "Refusals and errors",
      description: "Everything but `ok`.",
      unit: "reqps",
      stacked: true,
      queries: byLabel("code", rateBy("code", `stampede_http_requests_total{${HERE}, code!="ok"}`)),
    },
    {
      title: "Latency",
      description: "Points are single requests with their trace ids.",
      unit: "s",
      exemplars: true,
      queries: latency("stampede_http_request_duration_seconds", HERE),
    },
    {
      title: "Payments",
      description: "Of retailers, a second. Known: sent again.",
      unit: "ops",
      stacked: true,
      queries: byLabel("result", rateBy("result", `stampede_platform_payments_total{${HERE}}`)),
    },
  ],
};

const matching: RowSpec = {
  title: "Matching",
  panels: [
    {
      title: "Records by result",
      description:
        "Of publishers, a second: where they were routed, or why not. Most end with `unknown_merchant`.",
      unit: "ops",
      stacked: true,
      queries: byLabel("result", rateBy("result", `stampede_platform_records_total{${HERE}}`)),
      alerts: ["StampedeDeadLetters"],
    },
    {
      title: "Pairs and outcomes",
      description: "Records that found their payment, and what followed.",
      unit: "ops",
      queries: [
        { expr: rate(`stampede_platform_pairs_total{${HERE}}`), legend: "pairs" },
        { expr: rateBy("type", `stampede_platform_outcomes_total{${HERE}}`), legend: "{{type}}" },
      ],
    },
    {
      title: "Earned nothing",
      description: "Enrolments and clips that a purchase did not qualify for, by reason.",
      unit: "ops",
      stacked: true,
      queries: byLabel("reason", rateBy("reason", `stampede_platform_disqualifications_total{${HERE}}`)),
    },
    {
      title: "Steps, p99",
      description: "Time of one batch in one step.",
      unit: "s",
      queries: byLabel("step", quantile(0.99, "stampede_platform_step_duration_seconds", HERE, "step")),
    },
  ],
};

const out: RowSpec = {
  title: "What leaves",
  panels: [
    {
      title: "Outcomes published",
      description: "A second.",
      unit: "ops",
      queries: [{ expr: rate(`stampede_platform_outcomes_published_total{${HERE}}`), legend: "outcomes" }],
    },
    {
      title: "Outcomes not published",
      description: "In the database, and for how many seconds the oldest waits.",
      unit: "short",
      queries: [
        { expr: "max(stampede_platform_outcome_queue)", legend: "outcomes" },
        { expr: "max(stampede_platform_outcome_queue_oldest_seconds)", legend: "oldest, seconds" },
      ],
      alerts: ["StampedeOutcomeQueueStuck"],
    },
    {
      title: "Programs and deals published",
      description: "By result, a second; `failed` is tried again.",
      unit: "ops",
      queries: [
        { expr: rateBy("result", `stampede_platform_config_messages_total{${HERE}}`), legend: "{{result}}" },
        { expr: rate(`stampede_platform_config_republications_total{${HERE}}`), legend: "compared all" },
      ],
    },
    {
      title: "Messages held",
      description: "With records, taken and not acknowledged; 16 in one process is the most there can be.",
      unit: "short",
      queries: byLabel("instance", `sum by (instance) (stampede_platform_messages_held{${HERE}})`),
    },
    {
      title: "Messages, retries, sweeps",
      description: "Stream messages done, batches tried again, and halves that were removed, a second.",
      unit: "ops",
      queries: [
        { expr: rateBy("outcome", `stampede_platform_messages_total{${HERE}}`), legend: "{{outcome}}" },
        { expr: rate(`stampede_platform_batch_retries_total{${HERE}}`), legend: "retries" },
        { expr: rate(`stampede_platform_swept_total{${HERE}}`), legend: "swept" },
      ],
    },
  ],
};

export const PLATFORM: DashboardSpec = {
  name: "platform",
  title: "Platform",
  description: "The reference platform: retailers' payments meet purchases.",
  instancesOf: "platform",
  rows: [api, matching, out, streamRow("Streams in and out", "PLATFORM_TX|OUTCOMES")],
};
