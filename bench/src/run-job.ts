import { type ChildProcess, fork } from "node:child_process";
import { guard } from "#embedded";

/** Starts `main`, hands it the job and resolves to its answer. Typed arrays arrive as such. */
export function runJob<Result>(main: string, job: object): Promise<Result> {
  const child = fork(new URL(main, import.meta.url), {
    // The bytes of some hundred thousand requests are Buffers, outside of the heap.
    execArgv: ["--enable-source-maps", "--max-old-space-size=4096"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const release = child.pid === undefined ? () => {} : guard("service", child.pid);
  return new Promise<Result>((resolve, reject) => {
    const stderr = collect(child);
    child.once("error", reject);
    child.once("message", (result: Result) => resolve(result));
    child.once("exit", (code, signal) => {
      release();
      reject(new Error(`${main} ended with ${signal ?? code}: ${stderr()}`));
    });
    child.send(job);
  });
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (more: string) => {
    text = (text + more).slice(-4096);
  });
  return () => text;
}
