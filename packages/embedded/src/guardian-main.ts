import { createInterface } from "node:readline";
import type { Guarded } from "./guardian.ts";
import { endProcess, ORPHAN_ENDINGS, PROCESS_KINDS } from "./processes.ts";

/**
 * The process behind `guardian.ts`: each line of stdin is the complete list of the processes to end once
 * stdin closes.
 */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.title = "stampede-guardian";

let guarded: Guarded[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  try {
    guarded = JSON.parse(line) as Guarded[];
  } catch {
    // The last line of a killed writer may be cut short; then the line before it counts.
  }
}

for (const kind of PROCESS_KINDS) {
  const targets = guarded.filter((target) => target.kind === kind);
  await Promise.allSettled(targets.map((target) => endProcess(target, ORPHAN_ENDINGS[kind])));
}
