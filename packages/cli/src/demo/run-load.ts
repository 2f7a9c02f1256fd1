import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CommandError } from "../command-error.ts";
import type { FromLoad, LoadJob, LoadResult, LoadSample } from "./load-job.ts";

const PROGRAM = fileURLToPath(new URL("./load-main.js", import.meta.url));

/**
 * Runs the load in a process of its own, so that it shares nothing with who looks on.
 * @param watch is told how it goes, five times a second
 * @throws CommandError when it could not be sent
 */
export async function runLoad(job: LoadJob, watch: (sample: LoadSample) => void): Promise<LoadResult> {
  const child = fork(PROGRAM, [], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  try {
    return await new Promise<LoadResult>((resolve, reject) => {
      child.on("message", (message: FromLoad) => {
        if (message.kind === "sample") watch(message.sample);
        if (message.kind === "done") resolve(message.result);
        if (message.kind === "failed") reject(new CommandError(`the load ended: ${message.message}`));
      });
      child.once("error", reject);
      child.once("exit", (code, signal) => {
        reject(new CommandError(`the load's process ended with ${signal ?? code}: ${complaint.trim()}`));
      });
      // By IPC, because arguments and environments of processes can be read by others.
      child.send(job, (error) => error && reject(error));
    });
  } finally {
    child.kill();
  }
}
