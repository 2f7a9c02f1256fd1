import type { DashboardSpec, RowSpec } from "./panel-spec.ts";
import { byLabel, latency, mean, quantile, rateBy } from "./queries.ts";
import { streamRow } from "./stream-panels.ts";

const HERE = 'service="ingest", instance=~"$instance"';
const END_TO_END = "stampede_ingest_end_to_end_duration_seconds";

const work: RowSpec = {
  title: "Work",
  panels: [
    {
      title: "Events by result",
      description: "Committed a second. `dead` was refused by the database and set aside.",
      unit: "ops",
      stacked: true,
      queries: byLabel("result", rateBy("result", `stampede_ingest_events_total{${HERE}}`)),
      alerts: ["StampedeDeadLetters"],
    },
    {
      title: "Messages by outcome",
      description: "Stream messages that are done, a second.",
      unit: "ops",
      queries: byLabel("outcome", rateBy("outcome", `stampede_ingest_messages_total{${HERE}}`)),
    },
    {
      title: "Size of batches",
      description: "Events and messages in one batch, on average; grows with the load.",
      unit: "short",
      queries: [
        { expr: mean("stampede_ingest_batch_events", HERE), legend: "events" },
        { expr: mean("stampede_ingest_batch_messages", HERE), legend: "messages" },
      ],
    },
    {
      title: "Partitions",
      description: "Owned by each process. Together they are all there are.",
      unit: "short",
      stacked: true,
      queries: byLabel("instance", `sum by (instance) (stampede_ingest_partitions_owned{${HERE}})`),
      alerts: ["StampedePartitionWithoutOwner"],
    },
  ],
};

const time: RowSpec = {
  title: "Time",
  panels: [
    {
      title: "End to end",
      description: "From the time the stream stored a message to its commit. Points are traces of requests.",
      unit: "s",
      exemplars: true,
      queries: latency(END_TO_END, HERE),
      alerts: ["StampedeIngestLatency"],
    },
    {
      title: "Steps, p50",
      description: "Time of one batch in one step.",
      unit: "s",
      queries: byLabel("step", quantile(0.5, "stampede_ingest_step_duration_seconds", HERE, "step")),
    },
    {
      title: "Steps, p99",
      description: "`commit` is PostgreSQL, `publish` is NATS, `hash` is our own CPU.",
      unit: "s",
      queries: byLabel("step", quantile(0.99, "stampede_ingest_step_duration_seconds", HERE, "step")),
    },
    {
      title: "Worker threads, p99",
      description: "How long a batch waits for a thread, and how long it is parsed and hashed.",
      unit: "s",
      queries: [
        { expr: quantile(0.99, "stampede_ingest_pool_wait_duration_seconds", HERE), legend: "wait" },
        { expr: quantile(0.99, "stampede_ingest_pool_run_duration_seconds", HERE), legend: "run" },
      ],
    },
  ],
};

const trouble: RowSpec = {
  title: "Errors and saturation",
  panels: [
    {
      title: "Batches tried again",
      description: "By fault, a second: codes of PostgreSQL and NATS.",
      unit: "ops",
      stacked: true,
      queries: byLabel("fault", rateBy("fault", `stampede_ingest_batch_retries_total{${HERE}}`)),
    },
    {
      title: "Held up by others",
      description: "Why a batch had to wait: a full stream behind it, or a server.",
      unit: "ops",
      queries: byLabel("reason", rateBy("reason", `stampede_ingest_backpressure_total{${HERE}}`)),
      alerts: ["StampedeStreamFull"],
    },
    {
      title: "Messages held",
      description: "Read and not published; at most 32 for each partition, and a batch.",
      unit: "short",
      queries: byLabel("instance", `sum by (instance) (stampede_ingest_messages_held{${HERE}})`),
    },
    {
      title: "Outcomes that no edge has confirmed",
      description:
        "Told to an edge, which has not said what it told its caller. High for long: an edge is cut off.",
      unit: "short",
      queries: byLabel("instance", `sum by (instance) (stampede_ingest_unconfirmed_parts{${HERE}})`),
    },
    {
      title: "Messages that are gone",
      description: "From a stream, and not done. Anything but 0: their events are to be sent again.",
      unit: "short",
      queries: byLabel("reason", `sum by (reason) (stampede_ingest_lost_messages_total{${HERE}})`),
      alerts: ["StampedeIngestMessagesLost"],
    },
    {
      title: "Batches that wait for a thread",
      description: "Above 0 all the time: more threads (STAMPEDE_INGEST_THREADS), or no CPU left.",
      unit: "short",
      queries: byLabel("instance", `sum by (instance) (stampede_ingest_pool_queue{${HERE}})`),
      leadsTo: "runtime",
    },
  ],
};

export const INGEST: DashboardSpec = {
  name: "ingest",
  title: "Ingest",
  description: "From the streams to the database: batches, their time, and what holds them up.",
  instancesOf: "ingest",
  rows: [
    work,
    time,
    trouble,
    streamRow("Streams in, and dead letters", "INGEST_.*", { kept: "DEAD", owned: true }),
  ],
};
