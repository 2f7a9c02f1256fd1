import type { DashboardSpec, RowSpec } from "./panel-spec.ts";
import { byLabel, latency, quantile, rate, rateBy } from "./queries.ts";

const HERE = 'service="webhooks", instance=~"$instance"';

const numbers: RowSpec = {
  title: "How it is",
  panels: [
    {
      kind: "stat",
      title: "Late by",
      description: "Age of the oldest event that an enabled webhook has not got.",
      unit: "s",
      queries: [{ expr: "max(stampede_webhooks_oldest_pending_seconds)", legend: "oldest" }],
      thresholds: [
        { from: 60, color: "yellow" },
        { from: 300, color: "red" },
      ],
      alerts: ["StampedeWebhooksPending"],
    },
    {
      kind: "stat",
      title: "Held up by a writer",
      description: "Age of the oldest event behind a transaction with events that has not ended.",
      unit: "s",
      queries: [{ expr: "max(stampede_webhooks_oldest_unsettled_seconds)", legend: "oldest" }],
      thresholds: [
        { from: 60, color: "yellow" },
        { from: 300, color: "red" },
      ],
      alerts: ["StampedeWebhooksPending"],
    },
    {
      kind: "stat",
      title: "Webhooks that wait",
      description: "Enabled ones that something waits for, those in the middle of it among them.",
      unit: "short",
      queries: [{ expr: "max(stampede_webhooks_waiting)", legend: "webhooks" }],
    },
    {
      kind: "stat",
      title: "Failing",
      description: "Enabled, and nothing succeeded lately: their integrators' servers.",
      unit: "short",
      queries: [{ expr: "max(stampede_webhooks_failing)", legend: "webhooks" }],
      thresholds: [{ from: 1, color: "yellow" }],
      alerts: ["StampedeWebhookFailing"],
    },
    {
      kind: "stat",
      title: "Disabled",
      description: "Because they kept failing for 72 hours, or answered 410.",
      unit: "short",
      queries: [{ expr: "max(stampede_webhooks_disabled)", legend: "webhooks" }],
      thresholds: [{ from: 1, color: "yellow" }],
      alerts: ["StampedeWebhookDisabled"],
    },
    {
      kind: "stat",
      title: "Parked",
      description: "Deliveries that were refused ten times and set aside.",
      unit: "short",
      queries: [{ expr: "max(stampede_webhooks_parked)", legend: "deliveries" }],
      thresholds: [{ from: 1, color: "yellow" }],
      alerts: ["StampedeWebhookParked"],
    },
    {
      kind: "stat",
      title: "Secrets not opened",
      description: "Attempts that could not be signed, a second: a key is missing.",
      unit: "ops",
      queries: [
        { expr: rate('stampede_webhooks_attempts_total{result="secret_unavailable"}'), legend: "attempts" },
      ],
      thresholds: [{ from: 0.000001, color: "red" }],
      alerts: ["StampedeWebhookSecretUnavailable"],
    },
  ],
};

const sending: RowSpec = {
  title: "Sending",
  panels: [
    {
      title: "Attempts by result",
      description: "Requests to integrators' servers, a second.",
      unit: "reqps",
      stacked: true,
      queries: byLabel("result", rateBy("result", `stampede_webhooks_attempts_total{${HERE}}`)),
      alerts: ["StampedeWebhookFailing"],
    },
    {
      title: "What followed",
      description: "Delivered, to be tried again, split, parked, or the webhook disabled.",
      unit: "ops",
      stacked: true,
      queries: byLabel("next", rateBy("next", `stampede_webhooks_deliveries_total{${HERE}}`)),
      alerts: ["StampedeWebhookDisabled", "StampedeWebhookParked"],
    },
    {
      title: "Events",
      description: "That came up for delivery, and that were answered 2xx, a second.",
      unit: "ops",
      queries: [
        { expr: rate(`stampede_webhooks_events_announced_total{${HERE}}`), legend: "announced" },
        { expr: rate(`stampede_webhooks_events_delivered_total{${HERE}}`), legend: "delivered" },
      ],
    },
    {
      title: "Answers of integrators",
      description:
        "Until the answer was there, or the request was given up after 15 s. Points carry the delivery's id as `trace_id`.",
      unit: "s",
      exemplars: true,
      queries: latency("stampede_webhooks_answer_duration_seconds", HERE),
    },
  ],
};

const saturation: RowSpec = {
  title: "Saturation",
  panels: [
    {
      title: "Webhooks in hand",
      description: "That each process delivers to right now; STAMPEDE_WEBHOOK_SLOTS is the most.",
      unit: "short",
      queries: byLabel("instance", `sum by (instance) (stampede_webhooks_in_flight{${HERE}})`),
      alerts: ["StampedeWebhooksPending"],
    },
    {
      title: "Held in memory",
      description: "Events read for requests that have not begun.",
      unit: "bytes",
      queries: byLabel("instance", `sum by (instance) (stampede_webhooks_held_bytes{${HERE}})`),
      leadsTo: "runtime",
    },
    {
      title: "Statements, p99",
      description: "Each is for many webhooks.",
      unit: "s",
      queries: byLabel(
        "statement",
        quantile(0.99, "stampede_webhooks_statement_duration_seconds", HERE, "statement"),
      ),
    },
    {
      title: "Webhooks by state",
      description: "All there are.",
      unit: "short",
      stacked: true,
      queries: byLabel("state", "max by (state) (stampede_webhooks_state)"),
    },
  ],
};

export const WEBHOOKS: DashboardSpec = {
  name: "webhooks",
  title: "Webhooks",
  description: "Events on their way to integrators' servers.",
  instancesOf: "webhooks",
  rows: [numbers, sending, saturation],
};
