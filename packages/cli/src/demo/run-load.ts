import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CommandError } from "../command-error.ts";
import type { LoadWorld } from "./load-plan.ts";

/** The job of the load's process. */
export interface LoadJob extends LoadWorld {
  readonly publisherUrl: string;
  /** A write token. */
  readonly token: string;
  readonly platformUrl: string;
  /** The platform's token, with which the shop sends payments. */
  readonly platformToken: string;
  readonly retailerId: string;
  readonly seconds: number;
}

/** The progress of the load, five times a second. */
export interface LoadSample {
  /** Since the load began. */
  readonly seconds: number;
  /** Events whose commit has been answered so far. */
  readonly committed: number;
  /** How long the oldest event without an answer has waited. */
  readonly lagMs: number;
  /** At the end of a second: of the events that were answered within it, if there were any. */
  readonly times?: { readonly p50Ms: number; readonly p99Ms: number } | undefined;
  /** It is the last sample of its second. */
  readonly endsSecond: boolean;
}

/** The totals of the load, once every event is answered. */
export interface LoadResult {
  /** Blocks of the plan that were sent. */
  readonly blocks: number;
  readonly sent: number;
  /** Answered as committed. */
  readonly committed: number;
  /** Answered 202: durable in the stream, and committed later. */
  readonly accepted: number;
  /** Answered as refused: there must be none. */
  readonly rejected: number;
  /** Payments of the shop that the platform took. */
  readonly payments: number;
  /** Requests that failed and were sent again. */
  readonly retries: number;
  readonly longestPauseMs: number;
}

export type FromLoad =
  | { readonly kind: "sample"; readonly sample: LoadSample }
  | { readonly kind: "done"; readonly result: LoadResult }
  | { readonly kind: "failed"; readonly message: string };

const PROGRAM = fileURLToPath(new URL("./load-main.js", import.meta.url));

/**
 * Runs the load in a process of its own, so that it shares nothing with the demo.
 * @param watch called with every sample
 * @throws CommandError if the load fails
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
      // By IPC, because other users can read the arguments and environments of processes.
      child.send(job, (error) => error && reject(error));
    });
  } finally {
    child.kill();
  }
}
