/**
 * `npm test [-- <part of a path> …]`, and `.ci/run`, which sets `CI`: starts one PostgreSQL and one NATS, runs the test files against them, and removes
 * everything again. A file has a process of its own, or one that it shares with files of its package (`file-order.ts`). Two
 * files run at a time, and more while they leave the machine idle (`concurrency.ts`). The files use tap. Its own runner is not used
 * because it loads the TypeScript compiler's API into every test process, which TypeScript 7 no longer has.
 */
import { readdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Concurrency, idleMs } from "./concurrency.ts";
import { cpuMsOf } from "./cpu-time.ts";
import { createTemplate } from "./databases.ts";
import { inOrder, ofDoor } from "./file-order.ts";
import { runFiles } from "./run-file.ts";
import { reportFile, reportRun } from "./run-report.ts";
import { SHARED_SERVERS_VARIABLE, type SharedServers } from "./runner-protocol.ts";
import { removeAbandonedDirectories, startTestPair } from "./server-pair.ts";
import type { FileResult } from "./tap-output.ts";

/** Files that take longer are ended. Far above the time of the longest, because a machine may be shared and slow. */
const FILE_TIMEOUT_MS = process.env.TEST_LONG === undefined ? 600_000 : 12 * 3_600_000;
const INTERRUPTED = 130;
const LOOK_MS = 250;

const dist = fileURLToPath(new URL("../../", import.meta.url));
const say = (message: string): void => void process.stdout.write(`test: ${message}\n`);

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());

process.exitCode = await main(process.argv.slice(2));

async function main(patterns: readonly string[]): Promise<number> {
  const files = findTestFiles(patterns);
  if (files.length === 0) return reportRun([]);
  const startedAt = performance.now();
  const idleBefore = idleMs();
  removeAbandonedDirectories();
  say("starting PostgreSQL and NATS on free ports, in a temporary directory");
  let pair: Awaited<ReturnType<typeof startTestPair>>;
  try {
    pair = await startTestPair(say);
  } catch (error) {
    process.stderr.write(`test: ${(error as Error).message}\n`);
    return 1;
  }
  try {
    const shared: SharedServers = {
      postgresUrl: pair.postgres.url,
      template: await createTemplate(pair.postgres.url),
      natsUrl: pair.nats.url,
      natsMonitorUrl: pair.nats.monitorUrl,
    };
    const together = inOrder(files);
    say(`running ${files.length} files, in ${together.length} processes one after the other`);
    const results = await runAll(together, testEnvironment(shared));
    const servers = [pair.postgres, pair.nats].map(({ pid }) => cpuMsOf(pid));
    const ms = performance.now() - startedAt;
    const idleShare = (idleMs() - idleBefore) / (ms * cpus().length);
    const code = reportRun(results, { ms, servers, idleShare });
    return interrupt.signal.aborted ? INTERRUPTED : code;
  } finally {
    await pair.stop();
  }
}

/**
 * Replaces tap's own time limit, 30 s for a whole file, by the runner's. Every Node that starts with authorities besides its
 * own reads all of them, which takes longer than the start itself; no test asks another machine.
 */
function testEnvironment(shared: SharedServers): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  const servers = { [SHARED_SERVERS_VARIABLE]: JSON.stringify(shared) };
  return { ...inherited, ...servers, TAP_TIMEOUT: String(FILE_TIMEOUT_MS / 1000) };
}

/**
 * Compiled test files whose path has one of the patterns, or those of the door (`npm test` or `.ci/run`). A
 * source path works too: `.ts` is read as `.js`.
 */
function findTestFiles(patterns: readonly string[]): string[] {
  const wanted = patterns.map((pattern) => pattern.replace(/^(\.\/)?(dist\/)?/, "").replace(/\.ts$/, ".js"));
  const all = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".test.js"),
  );
  if (wanted.length > 0) return all.filter((path) => wanted.some((pattern) => path.includes(pattern)));
  const taken = ofDoor(all, process.env.CI === undefined ? "test" : "ci");
  say(`${all.length - taken.length} files are left out: test/README.md says which, and what runs them`);
  return taken;
}

/** @param together lists of files, each list for one process */
async function runAll(together: readonly string[][], env: NodeJS.ProcessEnv): Promise<FileResult[]> {
  const options = { env, timeoutMs: FILE_TIMEOUT_MS, signal: interrupt.signal };
  const waiting = [...together];
  const running = new Set<Promise<unknown>>();
  const results: FileResult[] = [];
  const concurrency = new Concurrency();
  const run = async (files: readonly string[]): Promise<void> => {
    for (const result of await runFiles(
      files.map((file) => join(dist, file)),
      options,
    )) {
      reportFile(result, dist);
      results.push(result);
    }
  };
  while (waiting.length + running.size > 0 && !(interrupt.signal.aborted && running.size === 0)) {
    if (waiting.length > 0 && !interrupt.signal.aborted && concurrency.allowsAnother(running.size)) {
      const one = run(waiting.shift() as string[]).finally(() => running.delete(one));
      running.add(one);
    } else {
      await Promise.race([...running, delay(LOOK_MS)]);
    }
  }
  return results;
}
