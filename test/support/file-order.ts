/**
 * Which test files a whole run takes, in which order they run, and which of them share a process. The time
 * that each file takes alone decides; the end of a whole run names the slowest.
 */

/** `npm test` or `.ci/run`: test/README.md says what each shows. */
export type Door = "test" | "ci";

/**
 * The files and folders that `npm test` leaves to `.ci/run`: many processes, servers of their own, browsers,
 * benchmarks.
 */
export const FOR_CI: readonly string[] = [
  "bench/src/ingest/bench-ingest.test.js",
  "bench/src/reads/bench-reads.test.js",
  "bench/src/webhooks/bench-webhooks.test.js",
  "packages/cli/src/demo/run-show.test.js",
  "packages/cli/src/import/import-resume.test.js",
  "packages/cli/src/import/memory.test.js",
  "packages/tooling/src/setup.test.js",
  "services/ingest/src/batch/known-keys-memory.test.js",
  "services/standalone/src/settings.test.js",
  "services/standalone/src/standalone.test.js",
  "test/browser/",
  "test/deploy/image.test.js",
  "test/deploy/release.test.js",
  "test/faults/backpressure.test.js",
  "test/faults/client-killed.test.js",
  "test/faults/disk-full.test.js",
  "test/faults/migrate-under-load.test.js",
  "test/faults/nats-cluster.test.js",
  "test/faults/neighbours.test.js",
  "test/faults/retention-killed.test.js",
  "test/faults/rolling-restart.test.js",
  "test/faults/servers-gone.test.js",
  "test/faults/start-without-servers.test.js",
  "test/faults/streams-remade.test.js",
  "test/flow/client/client-package.test.js",
  "test/flow/clocks/",
  "test/flow/observability/evaluated.test.js",
  "test/flow/observability/metrics.test.js",
  "test/flow/observability/pages.test.js",
  "test/flow/observability/rules.test.js",
  "test/flow/security/least-rights.test.js",
  "test/model/restored.test.js",
  "test/model/services.test.js",
  "test/properties/retention-model.test.js",
  "test/properties/rewards-model.test.js",
  "test/soak/restores.test.js",
  "test/soak/soak.test.js",
];

/**
 * The files that `.ci/run` leaves to `npm run test:long`: benchmarks that few changes touch, and rare timings of
 * faults that other files show, named in test/README.md.
 */
export const FOR_LONG: readonly string[] = [
  "bench/src/rewards/bench-rewards.test.js",
  "bench/src/scaling/bench-scaling.test.js",
  "test/faults/stream-killed.test.js",
  "test/soak/each-service.test.js",
];

/** The files of a run whose command names none. */
export function ofDoor(files: readonly string[], door: Door): string[] {
  const left = door === "ci" ? FOR_LONG : [...FOR_CI, ...FOR_LONG];
  return files.filter((file) => !left.some((path) => file.startsWith(path)));
}

/** Long files begin first, the longest at the very beginning: a long file that began last would run alone at the end. */
export const LONG_FILES: readonly string[] = [
  "test/faults/disk-full.test.js",
  "test/browser/console.test.js",
  "test/faults/servers-gone.test.js",
  "bench/src/ingest/bench-ingest.test.js",
  "test/soak/soak.test.js",
  "test/browser/console-changes.test.js",
  "test/properties/retention-model.test.js",
  "test/soak/restores.test.js",
  "packages/cli/src/demo/run-show.test.js",
  "test/faults/retention-killed.test.js",
  "test/faults/nats-cluster.test.js",
  "packages/cli/src/import/import-resume.test.js",
  "services/standalone/src/standalone.test.js",
  "test/flow/platform-link.test.js",
  "test/flow/clocks/wrong-clocks.test.js",
  "test/faults/rolling-restart.test.js",
  "test/faults/neighbours.test.js",
  "test/model/services.test.js",
  "test/flow/platform-config.test.js",
  "test/properties/rewards-model.test.js",
  "test/faults/backpressure.test.js",
];

/**
 * Files of a package share a process, one after the other: to start Node, and to load tap and a file's
 * imports, takes 0.3 s of CPU. A process takes a limited number of files: a file that ends its process takes
 * the later ones down with it, and files that start services last long. Below "test/browser/", and if
 * `LONG_FILES` or `ALONE` says so, a file has its own process.
 */
const TOGETHER_MOST: Readonly<Record<string, number>> = {
  "packages/": 16,
  "services/": 16,
  "bench/": 6,
  "test/conformance/": 6,
  "test/deploy/": 6,
  "test/faults/": 5,
  "test/flow/": 6,
  "test/model/": 6,
  "test/properties/": 6,
  "test/soak/": 6,
  "test/world/": 16,
  "test/support/": 16,
  "test/vectors/": 16,
};

/** Files of these folders that last long, or look at the memory or the children of their process. */
export const ALONE: readonly string[] = [
  "packages/cli/src/commands/dead-letters.test.js",
  "packages/cli/src/commands/export.test.js",
  "packages/cli/src/commands/listen.test.js",
  "packages/cli/src/commands/simulate.test.js",
  "packages/cli/src/commands/status.test.js",
  "packages/cli/src/doctor/doctor.test.js",
  "packages/cli/src/doctor/other-instance.test.js",
  "packages/cli/src/import/import-guide.test.js",
  "packages/cli/src/import/import.test.js",
  "packages/cli/src/program.test.js",
  "packages/cli/src/service-commands.test.js",
  "packages/embedded/src/data-dir.test.js",
  "packages/embedded/src/guardian.test.js",
  "packages/embedded/src/processes.test.js",
  "packages/embedded/src/start-nats.test.js",
  "packages/embedded/src/start-postgres.test.js",
  "packages/http/src/page.test.js",
  "packages/nats/src/streams/inspect-topology.test.js",
  "packages/nats/src/streams/topology-cluster.test.js",
  "packages/nats/src/connection/watch-nats.test.js",
  "packages/postgres/src/database-metrics.test.js",
  "packages/runtime/src/service.test.js",
  "packages/tooling/src/audit/audit.test.js",
  "packages/tooling/src/setup.test.js",
  "services/standalone/src/settings.test.js",
];

/** Test files in the order of their run: the files of one list run in one process, in this order. */
export function inOrder(files: readonly string[]): string[][] {
  const long = LONG_FILES.filter((file) => files.includes(file));
  const others = [...files].sort().filter((file) => !LONG_FILES.includes(file));
  const sharing = others.filter(sharesProcess);
  const packages = new Set(sharing.map(packageOf));
  const together = [...packages].flatMap((name) =>
    inParts(
      sharing.filter((file) => packageOf(file) === name),
      mostTogether(name),
    ),
  );
  const alone = others.filter((file) => !sharesProcess(file));
  return [...long.map((file) => [file]), ...together, ...alone.map((file) => [file])];
}

function sharesProcess(file: string): boolean {
  return mostTogether(file) > 1 && !ALONE.includes(file);
}

function mostTogether(path: string): number {
  const folder = Object.keys(TOGETHER_MOST).find((one) => `${path}/`.startsWith(one));
  return folder === undefined ? 1 : (TOGETHER_MOST[folder] as number);
}

const packageOf = (file: string): string => file.split("/").slice(0, 2).join("/");

/** Parts of nearly the same length. */
function inParts<T>(list: readonly T[], most: number): T[][] {
  const parts = Math.ceil(list.length / most);
  return Array.from({ length: parts }, (_, part) =>
    list.slice(Math.floor((part * list.length) / parts), Math.floor(((part + 1) * list.length) / parts)),
  );
}
