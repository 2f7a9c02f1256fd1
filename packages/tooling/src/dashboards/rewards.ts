import type { DashboardSpec, RowSpec } from "./panel-spec.ts";
import { byLabel, latency, mean, quantile, rate, rateBy } from "./queries.ts";
import { streamRow } from "./stream-panels.ts";

const HERE = 'service="rewards", instance=~"$instance"';

const work: RowSpec = {
  title: "Work",
  panels: [
    {
      title: "Outcomes by result",
      description: "Of the platform, a second. `already_…`: came again, and changed nothing.",
      unit: "ops",
      stacked: true,
      queries: byLabel("result", rateBy("result", `stampede_rewards_outcomes_total{${HERE}}`)),
      alerts: ["StampedeDeadLetters"],
    },
    {
      title: "Settlements by result",
      description: "Transactions that cleared, were reverted or learned an amount, a second.",
      unit: "ops",
      stacked: true,
      queries: byLabel("result", rateBy("result", `stampede_rewards_settlements_total{${HERE}}`)),
    },
    {
      title: "Events by type",
      description: "For webhooks, a second: what members see of it.",
      unit: "ops",
      stacked: true,
      queries: byLabel("type", rateBy("type", `stampede_rewards_events_total{${HERE}}`)),
      leadsTo: "webhooks",
    },
    {
      title: "Size of batches",
      description: "Outcomes or settlements in one database transaction, on average; grows with the load.",
      unit: "short",
      queries: byLabel("hop", mean("stampede_rewards_batch_entries", HERE, "hop")),
    },
  ],
};

const time: RowSpec = {
  title: "Time, errors, saturation",
  panels: [
    {
      title: "Transactions, p99",
      description: "Locking, deciding, writing, and the commit of one batch.",
      unit: "s",
      queries: byLabel(
        "hop",
        quantile(0.99, "stampede_rewards_step_duration_seconds", `${HERE}, step="transaction"`, "hop"),
      ),
    },
    {
      title: "Steps, p99",
      description: "load: waiting for locks, and reading. write: the statements.",
      unit: "s",
      queries: [
        {
          expr: quantile(0.99, "stampede_rewards_step_duration_seconds", HERE, "hop, step"),
          legend: "{{hop}} {{step}}",
        },
      ],
    },
    {
      title: "Tried again",
      description: "Batches by hop, a second.",
      unit: "ops",
      queries: [
        { expr: rateBy("hop", `stampede_rewards_batch_retries_total{${HERE}}`), legend: "{{hop}}" },
        { expr: rate(`stampede_rewards_config_retries_total{${HERE}}`), legend: "CONFIG" },
      ],
      alerts: ["StampedeConsumerStalled"],
    },
    {
      title: "Messages",
      description: "By hop and outcome, a second.",
      unit: "ops",
      queries: [
        {
          expr: `sum by (hop, outcome) (rate(stampede_rewards_messages_total{${HERE}}[$__rate_interval]))`,
          legend: "{{hop}} {{outcome}}",
        },
      ],
    },
  ],
};

const config: RowSpec = {
  title: "Programs and deals",
  panels: [
    {
      title: "Configuration messages",
      description: "By outcome, a second.",
      unit: "ops",
      queries: byLabel("outcome", rateBy("outcome", `stampede_rewards_config_messages_total{${HERE}}`)),
    },
    {
      title: "Applying one",
      description: "Changes are to show within a second.",
      unit: "s",
      queries: latency("stampede_rewards_config_apply_duration_seconds", HERE),
    },
    {
      title: "Messages held",
      description: "Taken and not acknowledged; 16 of one stream in one process is the most there can be.",
      unit: "short",
      queries: byLabel("hop", `sum by (hop) (stampede_rewards_messages_held{${HERE}})`),
    },
  ],
};

export const REWARDS: DashboardSpec = {
  name: "rewards",
  title: "Rewards",
  description: "Outcomes and settlements become stamps, redemptions and cashbacks.",
  instancesOf: "rewards",
  rows: [work, time, config, streamRow("Streams in", "OUTCOMES|SETTLEMENT|CONFIG")],
};
