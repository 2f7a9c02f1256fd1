import { describeProcesses, describeSurroundings, describeTargets, round, sealLine } from "../record.ts";
import { faultsOf } from "../rewards/results.ts";
import type { Servers } from "../servers.ts";
import type { TargetResult } from "../targets.ts";
import type { WebhooksOptions } from "./options.ts";
import type { WebhooksResults } from "./results.ts";
import type { MemoryPoint } from "./watch-memory.ts";

const MEMORY_POINTS = 40;

export function describeWebhooks(
  options: WebhooksOptions,
  servers: Servers,
  results: WebhooksResults,
  targets: readonly TargetResult[],
  startedAt: Date,
) {
  const { mode, events, webhooks, hanging, seconds, repetitions, samples } = options;
  const { backlog, many, latency } = results;
  return sealLine({
    ...describeSurroundings(mode, servers, startedAt),
    workload: { events, webhooks, hanging, seconds, repetitions, samples },
    backlog: backlog && {
      events: backlog.events,
      deliveries: backlog.deliveries,
      seconds: round(backlog.seconds),
      events_per_second: round(backlog.perSecond),
      memory: describeMemory(backlog.memory),
      processes: describeProcesses(backlog.usage),
    },
    many: many && {
      deliveries_per_second: round(many.perSecond),
      processes: describeProcesses(many.usage),
      others_per_second: {
        alone: many.hanging.repetitions.without.map(round),
        beside_hanging: many.hanging.repetitions.beside.map(round),
      },
    },
    latency: latency && {
      p50_ms: round(latency.p50),
      p90_ms: round(latency.p90),
      p99_ms: round(latency.p99),
      max_ms: round(latency.max),
    },
    targets: describeTargets(targets),
    verified: { faults: faultsOf(results) },
  });
}

/** Evenly chosen: a run has hundreds. */
function describeMemory(memory: readonly MemoryPoint[]) {
  const step = Math.max(1, Math.ceil(memory.length / MEMORY_POINTS));
  return memory
    .filter((_, at) => at % step === 0)
    .map(({ seconds, done, rssBytes }) => ({
      seconds: round(seconds),
      done: round(done),
      rss_bytes: rssBytes,
    }));
}
