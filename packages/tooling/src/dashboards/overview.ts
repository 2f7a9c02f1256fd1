import type { DashboardSpec, PanelSpec, RowSpec } from "./panel-spec.ts";
import { byLabel, latency, quantile, rate, rateBy } from "./queries.ts";

const EDGE = 'stampede_http_requests_total{service="edge"}';
const OUR_ERRORS = 'stampede_http_requests_total{service="edge", code=~"internal_error|unavailable"}';
const APPLIED = 'stampede_ingest_events_total{result=~"created|updated|unchanged"}';

const numbers: readonly PanelSpec[] = [
  {
    kind: "stat",
    title: "Alerts",
    description: "Alerts that are firing now. Each has a runbook.",
    unit: "short",
    queries: [
      { expr: 'count(ALERTS{alertstate="firing", alertname=~"Stampede.*"}) or vector(0)', legend: "firing" },
    ],
    thresholds: [{ from: 1, color: "red" }],
    leadsTo: "runbooks",
  },
  {
    kind: "stat",
    title: "Requests",
    description: "Requests to the publisher API that were answered, a second.",
    unit: "reqps",
    queries: [{ expr: rate(EDGE), legend: "requests" }],
    leadsTo: "edge",
  },
  {
    kind: "stat",
    title: "Errors of ours",
    description:
      "500 and 503 of all answers. 0.1 % is what is promised over a month; from 1.44 % on somebody is woken.",
    unit: "percentunit",
    queries: [{ expr: `${rate(OUR_ERRORS)} / (${rate(EDGE)} > 0) or vector(0)`, legend: "errors" }],
    thresholds: [
      { from: 0.001, color: "yellow" },
      { from: 0.0144, color: "red" },
    ],
    alerts: ["StampedeErrorBudgetBurnFast", "StampedeErrorBudgetBurnSlow"],
    leadsTo: "edge",
  },
  {
    kind: "stat",
    title: "Transactions",
    description: "Events of transactions that were committed, a second.",
    unit: "ops",
    queries: [{ expr: rate(APPLIED), legend: "events" }],
    leadsTo: "ingest",
  },
  {
    kind: "stat",
    title: "To the database",
    description: "From the time the stream stored a message to its commit: what one in a hundred takes.",
    unit: "s",
    queries: [{ expr: quantile(0.99, "stampede_ingest_end_to_end_duration_seconds", ""), legend: "p99" }],
    thresholds: [
      { from: 1, color: "yellow" },
      { from: 2.5, color: "red" },
    ],
    alerts: ["StampedeIngestLatency"],
    leadsTo: "ingest",
  },
  {
    kind: "stat",
    title: "Oldest message",
    description: "Of all streams that are worked off: how long the oldest message waits.",
    unit: "s",
    queries: [{ expr: 'max(stampede_stream_oldest_message_age_seconds{stream!="DEAD"})', legend: "age" }],
    thresholds: [
      { from: 30, color: "yellow" },
      { from: 120, color: "red" },
    ],
    alerts: ["StampedeConsumerStalled", "StampedeConsumerBehind"],
  },
  {
    kind: "stat",
    title: "Webhooks late by",
    description:
      "Age of the oldest event that an enabled webhook has not got; grows while an integrator's server fails.",
    unit: "s",
    queries: [{ expr: "max(stampede_webhooks_oldest_pending_seconds)", legend: "age" }],
    thresholds: [
      { from: 60, color: "yellow" },
      { from: 300, color: "red" },
    ],
    alerts: ["StampedeWebhooksPending", "StampedeWebhookFailing"],
    leadsTo: "webhooks",
  },
  {
    kind: "stat",
    title: "Dead letters",
    description: "What was acknowledged and refused for good, and is kept for 30 days.",
    unit: "short",
    queries: [{ expr: 'max(stampede_stream_messages{stream="DEAD"})', legend: "letters" }],
    thresholds: [{ from: 1, color: "yellow" }],
    alerts: ["StampedeDeadLetters"],
  },
];

const edge: readonly PanelSpec[] = [
  {
    title: "Requests",
    description: "Answers a second by code; `ok` and the codes of the error catalogue that occur.",
    unit: "reqps",
    stacked: true,
    queries: byLabel("code", `${rateBy("code", EDGE)} > 0`),
    leadsTo: "edge",
  },
  {
    title: "Errors of ours",
    description: "500 and 503 a second.",
    unit: "reqps",
    queries: byLabel("code", rateBy("code", OUR_ERRORS)),
    alerts: ["StampedeErrorBudgetBurnFast"],
    leadsTo: "edge",
  },
  {
    title: "Latency",
    description: "Of all requests. Ingest requests wait for their commit.",
    unit: "s",
    exemplars: true,
    queries: latency("stampede_http_request_duration_seconds", 'service="edge"'),
    leadsTo: "edge",
  },
  {
    title: "Saturation",
    description:
      "Events that wait for their outcome. From 16,000 in one process on, requests are refused at the door.",
    unit: "short",
    queries: byLabel("instance", "sum by (instance) (stampede_edge_unanswered_events)"),
    thresholds: [{ from: 16_000, color: "red" }],
  },
];

const streams: readonly PanelSpec[] = [
  {
    title: "Published by the edge",
    description: "Packed messages a second by outcome. Refused: the stream is full or does not answer.",
    unit: "ops",
    queries: byLabel("outcome", rateBy("outcome", "stampede_edge_publishes_total")),
    leadsTo: "edge",
  },
  {
    title: "Waiting",
    description: "Messages not handed out yet, and those handed out and not acknowledged.",
    unit: "short",
    queries: byLabel(
      "stream",
      "max by (stream) (stampede_consumer_pending_messages + stampede_consumer_ack_pending_messages)",
    ),
    alerts: ["StampedeConsumerStalled"],
  },
  {
    title: "Oldest message",
    description: "A line that rises by a second each second is a stream that stands still.",
    unit: "s",
    queries: byLabel(
      "stream",
      'max by (stream) (stampede_stream_oldest_message_age_seconds{stream!="DEAD"})',
    ),
    thresholds: [{ from: 120, color: "red" }],
    alerts: ["StampedeConsumerStalled", "StampedeConsumerBehind"],
  },
  {
    title: "Filled",
    description: "Of what a stream may hold. A full one refuses.",
    unit: "percentunit",
    max: 1,
    queries: byLabel("stream", "stream:stampede_stream_filled:ratio"),
    thresholds: [
      { from: 0.7, color: "yellow" },
      { from: 0.95, color: "red" },
    ],
    alerts: ["StampedeStreamNearFull", "StampedeStreamFull"],
  },
];

const ingest: readonly PanelSpec[] = [
  {
    title: "Events",
    description: "Committed events a second by result.",
    unit: "ops",
    stacked: true,
    queries: byLabel("result", rateBy("result", "stampede_ingest_events_total")),
    leadsTo: "ingest",
  },
  {
    title: "Batches tried again",
    description: "Each is a fault of a server or a dead letter about to be found; none is normal.",
    unit: "ops",
    queries: [{ expr: rate("stampede_ingest_batch_retries_total"), legend: "retries" }],
    leadsTo: "ingest",
  },
  {
    title: "End to end",
    description: "From the time the stream stored a message to its commit.",
    unit: "s",
    exemplars: true,
    queries: latency("stampede_ingest_end_to_end_duration_seconds", ""),
    alerts: ["StampedeIngestLatency"],
    leadsTo: "ingest",
  },
  {
    title: "Saturation",
    description: "Why batches had to wait for somebody else, times a second.",
    unit: "ops",
    queries: byLabel("reason", rateBy("reason", "stampede_ingest_backpressure_total")),
    leadsTo: "ingest",
  },
];

const database: readonly PanelSpec[] = [
  {
    title: "Statements",
    description: "A second, by service.",
    unit: "ops",
    stacked: true,
    queries: byLabel("service", rateBy("service", "stampede_database_statement_duration_seconds_count")),
    leadsTo: "runtime",
  },
  {
    title: "Errors and retries",
    description: "Statements that failed, and transactions repeated after a deadlock or the like, a second.",
    unit: "ops",
    queries: [
      { expr: rateBy("service", "stampede_database_errors_total"), legend: "{{service}} errors" },
      { expr: rateBy("service", "stampede_database_retries_total"), legend: "{{service}} retries" },
    ],
    alerts: ["StampedeDatabaseDown"],
  },
  {
    title: "Statement time, p99",
    description: "What one statement in a hundred takes.",
    unit: "s",
    queries: byLabel(
      "service",
      quantile(0.99, "stampede_database_statement_duration_seconds", "", "service"),
    ),
    leadsTo: "runtime",
  },
  {
    title: "Waiting for a connection, p99",
    description: "A pool whose connections are all busy makes its service wait.",
    unit: "s",
    queries: [
      {
        expr: quantile(0.99, "stampede_database_pool_wait_duration_seconds", "", "service, pool"),
        legend: "{{service}} {{pool}}",
      },
    ],
    thresholds: [{ from: 0.5, color: "red" }],
    alerts: ["StampedeDatabaseSaturated"],
  },
];

const platform: readonly PanelSpec[] = [
  {
    title: "Records and payments",
    description: "Purchases of the publisher and payments of retailers, a second.",
    unit: "ops",
    queries: [
      { expr: rate("stampede_platform_records_total"), legend: "records" },
      { expr: rate("stampede_platform_payments_total"), legend: "payments" },
      { expr: rate("stampede_platform_pairs_total"), legend: "pairs" },
    ],
    leadsTo: "platform",
  },
  {
    title: "Refused records",
    description: "Not as the schema says, or refused by the database: dead letters.",
    unit: "ops",
    queries: byLabel(
      "result",
      rateBy("result", 'stampede_platform_records_total{result=~"invalid|refused"}'),
    ),
    alerts: ["StampedeDeadLetters"],
  },
  {
    title: "Steps, p99",
    description: "Time of one batch in one step.",
    unit: "s",
    queries: byLabel("step", quantile(0.99, "stampede_platform_step_duration_seconds", "", "step")),
    leadsTo: "platform",
  },
  {
    title: "Outcomes not published",
    description: "In the platform's database; they leave within milliseconds.",
    unit: "short",
    queries: [{ expr: "max(stampede_platform_outcome_queue)", legend: "outcomes" }],
    alerts: ["StampedeOutcomeQueueStuck"],
    leadsTo: "platform",
  },
];

const rewards: readonly PanelSpec[] = [
  {
    title: "Outcomes and settlements",
    description: "A second. Applied outcomes become stamps and cashbacks.",
    unit: "ops",
    queries: [
      { expr: rate("stampede_rewards_outcomes_total"), legend: "outcomes" },
      { expr: rate("stampede_rewards_settlements_total"), legend: "settlements" },
    ],
    leadsTo: "rewards",
  },
  {
    title: "Refused, and tried again",
    description: "Outcomes and settlements that became dead letters, and batches that were repeated.",
    unit: "ops",
    queries: [
      {
        expr: rate('stampede_rewards_outcomes_total{result=~"invalid|refused"}'),
        legend: "outcomes refused",
      },
      { expr: rate('stampede_rewards_settlements_total{result="refused"}'), legend: "settlements refused" },
      { expr: rate("stampede_rewards_batch_retries_total"), legend: "retries" },
    ],
    alerts: ["StampedeDeadLetters"],
    leadsTo: "rewards",
  },
  {
    title: "Transaction of a batch, p99",
    description: "Locking, deciding, writing and the commit.",
    unit: "s",
    queries: byLabel(
      "hop",
      quantile(0.99, "stampede_rewards_step_duration_seconds", 'step="transaction"', "hop"),
    ),
    leadsTo: "rewards",
  },
  {
    title: "Messages held",
    description: "Taken and not acknowledged; 16 in one process is the most there can be of one stream.",
    unit: "short",
    queries: byLabel("hop", "sum by (hop) (stampede_rewards_messages_held)"),
    leadsTo: "rewards",
  },
];

const webhooks: readonly PanelSpec[] = [
  {
    title: "Events delivered",
    description: "Events that were answered 2xx, and events that came up for delivery, a second.",
    unit: "ops",
    queries: [
      { expr: rate("stampede_webhooks_events_delivered_total"), legend: "delivered" },
      { expr: rate("stampede_webhooks_events_announced_total"), legend: "announced" },
    ],
    leadsTo: "webhooks",
  },
  {
    title: "Failed attempts",
    description: "Requests to integrators' servers that failed, by class.",
    unit: "ops",
    stacked: true,
    queries: byLabel("result", rateBy("result", 'stampede_webhooks_attempts_total{result!="delivered"}')),
    alerts: ["StampedeWebhookFailing", "StampedeWebhookSecretUnavailable"],
    leadsTo: "webhooks",
  },
  {
    title: "Answers of integrators",
    description: "Time of a request, until its answer was there or it was given up after 15 s.",
    unit: "s",
    exemplars: true,
    queries: latency("stampede_webhooks_answer_duration_seconds", ""),
    leadsTo: "webhooks",
  },
  {
    title: "Late by",
    description: "Age of the oldest event that an enabled webhook has not got.",
    unit: "s",
    queries: [{ expr: "max(stampede_webhooks_oldest_pending_seconds)", legend: "oldest" }],
    thresholds: [{ from: 300, color: "red" }],
    alerts: ["StampedeWebhooksPending"],
    leadsTo: "webhooks",
  },
];

const rows: readonly RowSpec[] = [
  { title: "How it is", panels: numbers },
  { title: "1 · Edge: requests come in", panels: edge },
  { title: "2 · Streams: acknowledged and on disk", panels: streams },
  { title: "3 · Ingest: applied to the database", panels: ingest },
  { title: "4 · PostgreSQL", panels: database },
  { title: "5 · Platform: matched with payments", panels: platform },
  { title: "6 · Rewards: stamps and cashbacks", panels: rewards },
  { title: "7 · Webhooks: integrators are told", panels: webhooks },
];

/** By the way of a transaction: rate, errors, latency and saturation of each hop, from left to right. */
export const OVERVIEW: DashboardSpec = {
  name: "overview",
  title: "Overview",
  description:
    "The way of a transaction, hop by hop: rate, errors, latency, saturation. The first hop that is red is the cause.",
  rows,
};
