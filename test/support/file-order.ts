/**
 * The order in which test files run, and which of them need no core of their own. CPU time and elapsed time of each file by
 * itself decide, by `time node dist/test/support/run.js <file>`: the model of rewards takes 109 s of CPU, the rolling restart
 * 79 s; servers that are gone take 21 s of CPU in 72 s, the topology of a cluster 4 s in 17 s.
 */

/** Long files begin first, the longest at the very beginning: a long file that began last would run alone at the end. */
export const LONG_FILES: readonly string[] = [
  "test/properties/rewards-model.test.js",
  "test/faults/rolling-restart.test.js",
  "test/faults/nats-cluster.test.js",
  "test/flow/clocks/wrong-clocks.test.js",
  "packages/cli/src/demo/demo.test.js",
  "packages/cli/src/demo/show/run-show.test.js",
  "bench/src/ingest/bench-ingest.test.js",
  "bench/src/rewards/bench-rewards.test.js",
  "bench/src/webhooks/bench-webhooks.test.js",
  "bench/src/members/bench-members.test.js",
  "bench/src/reads/bench-reads.test.js",
  "test/conformance/conformance.test.js",
  "test/deploy/image.test.js",
  "test/conformance/platform-conformance.test.js",
  "test/deploy/compose.test.js",
];

/**
 * Files that spend most of their time waiting: for time-outs, outages, elections and processes that start. One of them at a
 * time runs beside the others.
 */
export const WAITING_FILES: readonly string[] = [
  "test/faults/disk-full.test.js",
  "test/soak/soak.test.js",
  "test/faults/servers-gone.test.js",
  "test/faults/webhooks-killed.test.js",
  "test/faults/backpressure.test.js",
  "test/faults/kills.test.js",
  "test/faults/stream-killed.test.js",
  "services/standalone/src/standalone.test.js",
  "services/standalone/src/healing.test.js",
  "test/faults/start-without-servers.test.js",
  "test/flow/platform-link.test.js",
  "test/faults/rewards-killed.test.js",
  "packages/cli/src/doctor/doctor.test.js",
  "test/deploy/nats.test.js",
  "packages/nats/src/inspect-topology.test.js",
  "packages/nats/src/topology-cluster.test.js",
];

/** The files in the order in which they are to begin. */
export function inOrder(files: readonly string[]): {
  readonly working: string[];
  readonly waiting: string[];
} {
  const sorted = [...files].sort();
  const listed = (names: readonly string[]) => names.filter((name) => files.includes(name));
  const known = new Set([...LONG_FILES, ...WAITING_FILES]);
  return {
    working: [...listed(LONG_FILES), ...sorted.filter((file) => !known.has(file))],
    waiting: listed(WAITING_FILES),
  };
}
