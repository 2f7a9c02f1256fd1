/**
 * `npm test [-- <part of a path> …]`: starts one PostgreSQL and one NATS, runs the test files against them, each in a process
 * of its own, and removes everything again. Two files run at a time, and beside them one of those that mostly wait. The files
 * use tap. Its own runner is not used because it loads the TypeScript compiler's API into every test process, which
 * TypeScript 7 no longer has.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTemplate } from "./databases.ts";
import { inOrder } from "./file-order.ts";
import { type FileResult, runFile } from "./run-file.ts";
import { reportFile, reportRun } from "./run-report.ts";
import { removeAbandonedDirectories, startServerPair } from "./server-pair.ts";
import { SHARED_SERVERS_VARIABLE, type SharedServers } from "./shared-servers.ts";

const JOBS = 2;
/** Files that wait use a third of a core at most. On two slow cores, two of them at once starved the others. */
const WAITING_JOBS = 1;
/** A file that takes longer is ended. Far above the time of the longest file, because a machine may be shared and slow. */
const FILE_TIMEOUT_MS = 600_000;
const INTERRUPTED = 130;

const dist = fileURLToPath(new URL("../../", import.meta.url));
const say = (message: string): void => void process.stdout.write(`test: ${message}\n`);

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());

process.exitCode = await main(process.argv.slice(2));

async function main(patterns: readonly string[]): Promise<number> {
  const files = findTestFiles(patterns);
  if (files.length === 0) return reportRun([], 0);
  const startedAt = performance.now();
  removeAbandonedDirectories();
  say("starting PostgreSQL and NATS on free ports, in a temporary directory");
  let pair: Awaited<ReturnType<typeof startServerPair>>;
  try {
    pair = await startServerPair(say);
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
    say(`running ${files.length} files, ${JOBS} at a time and beside them ${WAITING_JOBS} that wait`);
    const results = await runAll(files, testEnvironment(shared));
    const code = reportRun(results, performance.now() - startedAt);
    return interrupt.signal.aborted ? INTERRUPTED : code;
  } finally {
    await pair.stop();
  }
}

/** Replaces tap's own time limit, 30 s for a whole file, by ours. */
function testEnvironment(shared: SharedServers): NodeJS.ProcessEnv {
  const servers = { [SHARED_SERVERS_VARIABLE]: JSON.stringify(shared) };
  return { ...process.env, ...servers, TAP_TIMEOUT: String(FILE_TIMEOUT_MS / 1000) };
}

/** Compiled test files whose path holds one of the patterns, or all. A source path works as well: `.ts` is read as `.js`. */
function findTestFiles(patterns: readonly string[]): string[] {
  const wanted = patterns.map((pattern) => pattern.replace(/^(\.\/)?(dist\/)?/, "").replace(/\.ts$/, ".js"));
  return readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.js"))
    .filter((path) => wanted.length === 0 || wanted.some((pattern) => path.includes(pattern)));
}

async function runAll(files: readonly string[], env: NodeJS.ProcessEnv): Promise<FileResult[]> {
  const { working, waiting } = inOrder(files);
  const results: FileResult[] = [];
  const worker = async (...queues: string[][]): Promise<void> => {
    const next = () => queues.find((queue) => queue.length > 0)?.shift();
    for (let file = next(); file !== undefined; file = next()) {
      if (interrupt.signal.aborted) return;
      const result = await runFile(join(dist, file), {
        env,
        timeoutMs: FILE_TIMEOUT_MS,
        signal: interrupt.signal,
      });
      reportFile(result, dist);
      results.push(result);
    }
  };
  const workers = Array.from({ length: JOBS }, () => worker(working, waiting));
  const waiters = Array.from({ length: WAITING_JOBS }, () => worker(waiting));
  await Promise.all([...workers, ...waiters]);
  return results;
}
