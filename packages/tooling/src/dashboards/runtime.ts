import type { DashboardSpec, RowSpec } from "./panel-spec.ts";
import { byLabel, quantile, rateBy } from "./queries.ts";

const HERE = 'service=~"$service", instance=~"$instance"';
const OURS = `job="stampede", ${HERE}`;
const PROCESS = "{{service}} {{instance}}";

const processes: RowSpec = {
  title: "Processes",
  panels: [
    {
      kind: "table",
      title: "What runs",
      description:
        "Every process with its version. Different ones side by side: a deployment that is under way, or stuck.",
      unit: "none",
      width: 12,
      queries: [
        { expr: `sum by (service, instance, version, node) (stampede_build_info{${HERE}})`, legend: "" },
      ],
      alerts: ["StampedeServiceAbsent", "StampedeTargetDown"],
    },
    {
      title: "Ready",
      description: "1: as /readyz says, load balancers send it requests. All of edge at 0: nobody is served.",
      unit: "short",
      max: 1,
      width: 6,
      queries: [{ expr: `stampede_ready{${HERE}}`, legend: PROCESS }],
      alerts: ["StampedeNoEdgeReady"],
    },
    {
      title: "Time since the start",
      description: "Saws are restarts.",
      unit: "s",
      width: 6,
      queries: [{ expr: `time() - process_start_time_seconds{${OURS}}`, legend: PROCESS }],
      alerts: ["StampedeRestarting"],
    },
    {
      title: "CPU",
      description:
        "In cores. JavaScript of one process uses one; ingest's worker threads and garbage collection come on top.",
      unit: "none",
      queries: [{ expr: rateBy("service, instance", `process_cpu_seconds_total{${OURS}}`), legend: PROCESS }],
    },
    {
      title: "Resident memory",
      description: "The alert stands at 80 % of 1 GiB.",
      unit: "bytes",
      queries: [{ expr: `process_resident_memory_bytes{${OURS}}`, legend: PROCESS }],
      thresholds: [{ from: 0.8 * 2 ** 30, color: "red" }],
      alerts: ["StampedeMemoryHigh"],
    },
    {
      title: "Heap in use",
      description: "Of the main thread. Grows between collections; its lowest points should not rise.",
      unit: "bytes",
      queries: [{ expr: `nodejs_heap_size_used_bytes{${OURS}}`, legend: PROCESS }],
    },
    {
      title: "Event loop, p99",
      description: "How late the loop was since the last scrape.",
      unit: "s",
      queries: [{ expr: `nodejs_eventloop_lag_p99_seconds{${OURS}}`, legend: PROCESS }],
      thresholds: [{ from: 0.25, color: "red" }],
      alerts: ["StampedeEventLoopBlocked"],
    },
    {
      title: "Garbage collection",
      description: "Share of the time that it takes, by kind.",
      unit: "percentunit",
      queries: [
        {
          expr: `sum by (service, kind) (rate(nodejs_gc_duration_seconds_sum{${OURS}}[$__rate_interval]))`,
          legend: "{{service}} {{kind}}",
        },
      ],
    },
    {
      title: "Open files and sockets",
      description: "Against the process's limit.",
      unit: "short",
      queries: [{ expr: `process_open_fds{${OURS}}`, legend: PROCESS }],
    },
  ],
};

const database: RowSpec = {
  title: "PostgreSQL",
  panels: [
    {
      title: "Reachable",
      description: "1: the last look at it succeeded.",
      unit: "short",
      max: 1,
      queries: [{ expr: `stampede_database_up{${HERE}}`, legend: PROCESS }],
      alerts: ["StampedeDatabaseDown"],
    },
    {
      title: "Round trip",
      description: "Of a small query, every two seconds.",
      unit: "s",
      queries: [{ expr: `stampede_database_ping_seconds{${HERE}}`, legend: PROCESS }],
    },
    {
      title: "Clocks",
      description:
        "By how much each process's clock is ahead of the database's; below 0: behind. All of them off: it is the database's that is wrong.",
      unit: "s",
      queries: [{ expr: `stampede_clock_offset_seconds{${HERE}}`, legend: PROCESS }],
      alerts: ["StampedeClockWrong", "StampedeDatabaseClockWrong"],
    },
    {
      title: "Connections in use",
      description: "Of each pool, and its limit.",
      unit: "short",
      queries: [
        {
          expr: `sum by (service, pool) (stampede_database_pool_connections{${HERE}, state="in_use"})`,
          legend: "{{service}} {{pool}}",
        },
        {
          expr: `sum by (service, pool) (stampede_database_pool_limit_connections{${HERE}})`,
          legend: "{{service}} {{pool}} limit",
        },
      ],
    },
    {
      title: "Waiting for a connection",
      description: "Statements in line.",
      unit: "short",
      queries: [
        {
          expr: `sum by (service, pool) (stampede_database_pool_waiting{${HERE}})`,
          legend: "{{service}} {{pool}}",
        },
      ],
      alerts: ["StampedeDatabaseSaturated"],
    },
    {
      title: "Time by operation",
      description: "Seconds of statements in a second: where the database's time goes.",
      unit: "short",
      stacked: true,
      queries: [
        {
          expr: `topk(10, sum by (operation) (rate(stampede_database_statement_duration_seconds_sum{${HERE}}[$__rate_interval])))`,
          legend: "{{operation}}",
        },
      ],
    },
    {
      title: "Slowest operations, p99",
      description: "Of those that ran.",
      unit: "s",
      queries: byLabel(
        "operation",
        `topk(10, ${quantile(0.99, "stampede_database_statement_duration_seconds", HERE, "operation")} >= 0)`,
      ),
    },
    {
      title: "Errors",
      description: "Statements that failed, by class, a second.",
      unit: "ops",
      stacked: true,
      queries: byLabel("class", rateBy("class", `stampede_database_errors_total{${HERE}}`)),
    },
    {
      title: "Retries",
      description: "Transactions repeated, by reason, a second.",
      unit: "ops",
      stacked: true,
      queries: byLabel("reason", rateBy("reason", `stampede_database_retries_total{${HERE}}`)),
    },
  ],
};

const nats: RowSpec = {
  title: "NATS, and what durability rests on",
  panels: [
    {
      title: "Connected",
      description: "1: the process is connected.",
      unit: "short",
      max: 1,
      queries: [{ expr: `stampede_nats_connected{${HERE}}`, legend: PROCESS }],
      alerts: ["StampedeNatsDisconnected"],
    },
    {
      title: "Reconnects",
      description: "A second. Now and then is a server that was restarted; all the time is the network.",
      unit: "ops",
      queries: [
        { expr: rateBy("service", `stampede_nats_reconnects_total{${HERE}}`), legend: "{{service}}" },
      ],
    },
    {
      kind: "table",
      title: "Versions",
      description: "Of the servers that each service is connected to.",
      unit: "none",
      queries: [
        { expr: `sum by (service, version) (stampede_nats_info{${HERE}})`, legend: "NATS" },
        { expr: `sum by (service, version) (stampede_database_info{${HERE}})`, legend: "PostgreSQL" },
      ],
    },
    {
      title: "Durable",
      description:
        "1: PostgreSQL has fsync, synchronous_commit and full_page_writes on; NATS syncs before it acknowledges (where its monitoring port is known).",
      unit: "short",
      max: 1,
      queries: [
        {
          expr: `min by (service) (stampede_database_durable{${HERE}})`,
          legend: "PostgreSQL for {{service}}",
        },
        { expr: `max by (mode) (stampede_nats_sync_mode{${HERE}})`, legend: "NATS syncs: {{mode}}" },
      ],
      alerts: ["StampedeDatabaseNotDurable", "StampedeNatsSyncWeak"],
    },
  ],
};

export const RUNTIME: DashboardSpec = {
  name: "runtime",
  title: "Runtime",
  description: "Processes, their connections to PostgreSQL and NATS, and what durability rests on.",
  instancesOf: "$service",
  rows: [processes, database, nats],
};
