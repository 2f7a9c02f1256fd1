import type { ChildProcess } from "node:child_process";
import { forkGuarded } from "../kit/processes.ts";

/** The orders to a receiver process over IPC. */
export type ToReceiver =
  | { readonly kind: "start"; readonly webhooks: number; readonly secret: string }
  /**
   * Webhooks from this number on get no answer until this is changed; the waiting ones then get it. null: all
   * are answered.
   */
  | { readonly kind: "hang"; readonly from: number | null }
  | { readonly kind: "report" };

export type FromReceiver =
  | { readonly kind: "ready"; readonly port: number }
  | { readonly kind: "arrived"; readonly arrivals: readonly Arrival[] }
  | { readonly kind: "report"; readonly report: ReceiverReport };

/** A delivery, from its last byte on. */
export interface Arrival {
  /** The webhook's number. */
  readonly webhook: number;
  /** The events that had not come before. */
  readonly events: number;
  /** By the machine's monotonic clock, which is the same in all processes. */
  readonly atMs: number;
}

interface ReceiverReport {
  /** Different ones of each webhook, by its number. */
  readonly events: readonly number[];
  readonly deliveries: number;
  /** Events that came again. */
  readonly repeated: number;
  /** Deliveries whose signature was verified: a sample. */
  readonly verified: number;
  readonly faultCount: number;
  /** The first of them. */
  readonly faults: readonly string[];
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * The receiver of all deliveries, in a separate process so that it does not share an event loop with the
 * measurement.
 */
export class Receiver {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #port: number;
  #onArrivals: (arrivals: readonly Arrival[]) => void = () => {};

  /** @param secret of all webhooks, in the form `whsec_…` */
  static async start(webhooks: number, secret: string): Promise<Receiver> {
    const { child, exited } = forkGuarded(new URL("./receiver-main.js", import.meta.url), {
      execArgv: ["--enable-source-maps"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("message", (message: FromReceiver) => message.kind === "ready" && resolve(message.port));
      void exited.then(() => reject(new Error("the receiver ended")));
      child.send({ kind: "start", webhooks, secret } satisfies ToReceiver);
    });
    return new Receiver(child, exited, port);
  }

  private constructor(child: ChildProcess, exited: Promise<unknown>, port: number) {
    this.#child = child;
    this.#exited = exited;
    this.#port = port;
    child.on("message", (message: FromReceiver) => {
      if (message.kind === "arrived") this.#onArrivals(message.arrivals);
    });
  }

  /**
   * The target of a webhook: its own origin, like a real webhook's, because the sender bounds its work per
   * origin. Linux answers for all of 127.0.0.0/8; elsewhere they share one.
   */
  targetOf(webhook: number): string {
    const host = process.platform === "linux" ? `127.1.${webhook >> 8}.${webhook & 255}` : "127.0.0.1";
    return `http://${host}:${this.#port}/${webhook}`;
  }

  /** The receiver of arrival reports from now on. */
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
