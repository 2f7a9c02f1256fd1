import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import type { OpsAnswer, ToChild, ToParent } from "#runtime";
import type { Exit } from "./running-server.ts";

/** A service as a child of this process. */
export interface ForkedService {
  readonly child: ChildProcess;
  /** Resolves once, however it ended, and also if it could not be run; never rejects. */
  readonly exited: Promise<Exit>;
  /** What it says when it is ready: its address, if it listens. Undefined if it ended before that. */
  readonly ready: Promise<{ readonly url?: string } | undefined>;
  /** Asks one of its operations endpoints. Rejects if it ends first, or does not answer in time. */
  ask(path: string, question?: Question): Promise<OpsAnswer>;
}

interface Question {
  /** The `accept` header. */
  readonly accept?: string | undefined;
  /** Without it the answer may take any time. */
  readonly withinMs?: number;
}

/** Starts a compiled file that reports and answers over IPC, like all services. */
export function forkService(main: URL, options: ForkOptions): ForkedService {
  const child = fork(main, options);
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.on("error", () => child.pid === undefined && resolve({ code: null, signal: null }));
  });
  const ready = new Promise<{ url?: string } | undefined>((resolve) => {
    child.on("message", (message: ToParent) => message.kind === "ready" && resolve(message));
    void exited.then(() => resolve(undefined));
  });
  return { child, exited, ready, ask: asker(child, exited) };
}

/** Sends requests over the IPC channel, told apart by a number. */
function asker(child: ChildProcess, exited: Promise<Exit>): ForkedService["ask"] {
  const waiting = new Map<number, (answer: OpsAnswer | Error) => void>();
  let nextId = 1;
  child.on("message", (message: ToParent) => {
    if (message.kind !== "ops-answer") return;
    const { status, contentType, body } = message;
    waiting.get(message.id)?.({ status, contentType, body });
  });
  void exited.then(() => {
    for (const settle of waiting.values()) settle(new Error("it ended"));
  });
  return (path, { accept, withinMs } = {}) =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      const settle = (answer: OpsAnswer | Error): void => {
        clearTimeout(timer);
        waiting.delete(id);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      const late = () => settle(new Error(`no answer within ${withinMs} ms`));
      const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs);
      waiting.set(id, settle);
      if (!child.connected) return settle(new Error("it ended"));
      child.send({ kind: "ops", id, path, accept } satisfies ToChild, (error) => error && settle(error));
    });
}
