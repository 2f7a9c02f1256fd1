import { type ChildProcess, fork } from "node:child_process";
import { guard } from "#embedded";
import type { Arrival, FromReceiver, ReceiverReport, ToReceiver } from "./receiver-messages.ts";

/** The receiver of all deliveries, in a process of its own so that it does not share an event loop with who measures. */
export class Receiver {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #port: number;
  #onArrivals: (arrivals: readonly Arrival[]) => void = () => {};

  /** @param secret of all webhooks, in the form `whsec_…` */
  static async start(webhooks: number, secret: string): Promise<Receiver> {
    const child = fork(new URL("./receiver-main.js", import.meta.url), {
      execArgv: ["--enable-source-maps"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const release = child.pid === undefined ? () => {} : guard("service", child.pid);
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    void exited.then(release);
    const port = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("message", (message: FromReceiver) => message.kind === "ready" && resolve(message.port));
      void exited.then(() => reject(new Error("the receiver ended")));
      child.send({ kind: "start", webhooks, secret } satisfies ToReceiver);
    });
    return new Receiver(child, exited, port);
  }

  private constructor(child: ChildProcess, exited: Promise<void>, port: number) {
    this.#child = child;
    this.#exited = exited;
    this.#port = port;
    child.on("message", (message: FromReceiver) => {
      if (message.kind === "arrived") this.#onArrivals(message.arrivals);
    });
  }

  /**
   * Where a webhook is delivered to: an origin of its own, as webhooks have them, for the sender bounds what it does to
   * one. Linux answers for all of 127.0.0.0/8; elsewhere they share one.
   */
  targetOf(webhook: number): string {
    const host = process.platform === "linux" ? `127.1.${webhook >> 8}.${webhook & 255}` : "127.0.0.1";
    return `http://${host}:${this.#port}/${webhook}`;
  }

  /** Who is told of the arrivals from now on. */
  listen(onArrivals: (arrivals: readonly Arrival[]) => void): void {
    this.#onArrivals = onArrivals;
  }

  /** Webhooks from this number on are not answered until the next call. null: all are. */
  hang(from: number | null): void {
    this.#child.send({ kind: "hang", from } satisfies ToReceiver);
  }

  report(): Promise<ReceiverReport> {
    return new Promise((resolve, reject) => {
      const receive = (message: FromReceiver): void => {
        if (message.kind !== "report") return;
        this.#child.off("message", receive);
        resolve(message.report);
      };
      this.#child.on("message", receive);
      void this.#exited.then(() => reject(new Error("the receiver ended")));
      this.#child.send({ kind: "report" } satisfies ToReceiver);
    });
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }
}
