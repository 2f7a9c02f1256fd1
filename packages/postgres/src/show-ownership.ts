import type { CheckResult, ServiceContext } from "#runtime";
import type { PartitionOwnership } from "./partition-ownership.ts";

/** The reader of the owned partitions: a loop of `#nats`. */
interface PartitionReader {
  /** Undefined when it does not read the partition. */
  feedOf(partition: number): { readonly fault: string | undefined } | undefined;
}

/** Metrics of the partitions that this process owns, and a check of its readiness. */
export function showOwnership(
  { metrics, health }: Pick<ServiceContext, "metrics" | "health">,
  owned: {
    readonly ownership: PartitionOwnership;
    readonly partitions: number;
    readonly readers: readonly PartitionReader[];
    /** It also answers requests, which need no partition: the check is then shown and does not count. */
    readonly servesRequests?: boolean;
  },
): void {
  const { ownership, partitions, readers, servesRequests = false } = owned;
  metrics.gaugeOf(
    "stampede_partitions_owned",
    "Partitions that this process reads.",
    () => ownership.owned.length,
  );
  metrics
    .gauge(
      "stampede_partitions",
      "Partitions of the installation; one process of the service should read each.",
    )
    .set(partitions);
  const check = (): CheckResult => {
    const shares = `owns ${ownership.owned.length} of ${partitions}`;
    const fault = ownership.fault ?? unreadOf(ownership.owned, readers);
    return { ok: fault === undefined, detail: fault === undefined ? shares : `${shares}; ${fault}` };
  };
  if (servesRequests) health.addShown("partitions", check);
  else health.addCheck("partitions", check);
}

function unreadOf(owned: readonly number[], readers: readonly PartitionReader[]): string | undefined {
  for (const partition of owned) {
    for (const reader of readers) {
      const fault = reader.feedOf(partition)?.fault;
      if (fault !== undefined) return `partition ${partition} is not read: ${fault}`;
    }
  }
  return undefined;
}
