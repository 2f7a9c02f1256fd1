import { least, most, ratio, type TargetResult } from "../targets.ts";
import type { WebhooksResults } from "./results.ts";
import { largestBetween } from "./watch-memory.ts";

/** Memory that is as good as the same: a garbage collection more or less. */
const GROWTH_AT_MOST = 1.25;
const MIB = 1024 * 1024;

/** Those of two cores, which the receiver, the service and the servers share; ratios of one run hold on any machine. */
export function judgeWebhooks({ backlog, many, latency }: WebhooksResults): TargetResult[] {
  const memory = backlog?.memory ?? [];
  // Before a tenth is done the process has not yet all that it needs for any delivery.
  const early = largestBetween(memory, 0.1, 0.5);
  const late = largestBetween(memory, 0.5, 1);
  const largest = largestBetween(memory, 0, 1);
  return [
    least("one webhook, its backlog in full deliveries", backlog?.perSecond, 20_000, "events/s"),
    most("its backlog: memory in the second half, against the first", ratio(late, early), GROWTH_AT_MOST),
    most("its backlog: resident memory of the service", largest && largest / MIB, 256, "MiB"),
    least(`${many?.webhooks ?? 1000} webhooks, an event each`, many?.perSecond, 2_000, "deliveries/s"),
    least(
      "most of them while the others hang, against alone",
      ratio(many?.hanging.beside, many?.hanging.without),
      0.9,
    ),
    most("from the commit to the arrival, unloaded: p50", latency?.p50, 30, "ms"),
    most("from the commit to the arrival, unloaded: p99", latency?.p99, 150, "ms"),
  ];
}
