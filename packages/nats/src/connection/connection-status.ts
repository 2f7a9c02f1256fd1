import { setTimeout as delay } from "node:timers/promises";
import { type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { type CheckResult, type Log, StartError } from "#runtime";
import type { ClusterContact } from "./cluster-contact.ts";
import { describeRefusal } from "./nats-errors.ts";

/** How long closing waits for the server to answer a last ping. */
const FLUSH_MS = 1_000;

/** The client's status of its connection: whether there is one, and the server's refusals. */
export class ConnectionStatus {
  readonly #nats: NatsConnection;
  readonly #contact: ClusterContact;
  readonly #log: Log;
  readonly #onRefusal: (error: PermissionViolationError) => void;
  readonly #refused = new Set<string>();
  readonly #listeners = new Set<(connected: boolean) => void>();
  #connected = true;

  /** @param onRefusal gets the subject that the server does not let this user publish to */
  constructor(
    nats: NatsConnection,
    contact: ClusterContact,
    log: Log,
    onRefusal: (error: PermissionViolationError) => void,
  ) {
    this.#nats = nats;
    this.#contact = contact;
    this.#log = log;
    this.#onRefusal = onRefusal;
    void this.#watch();
  }

  get isConnected(): boolean {
    return this.#connected && !this.#nats.isClosed();
  }

  onChange(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  check(): CheckResult {
    if (!this.isConnected) return { ok: false, detail: "not connected to NATS; reconnecting" };
    const version = this.#nats.info?.version;
    return { ok: true, detail: `connected to ${this.#nats.getServer()}, version ${version}` };
  }

  async assertPermitted(): Promise<void> {
    await this.flushed();
    // The status listener gets the server's messages of before its answer to the flush, but only in a later
    // turn.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#refused.size > 0) throw notPermitted([...this.#refused]);
  }

  /**
   * The client's own close drops everything since its last write, such as the kick that reports free
   * partitions.
   */
  async flushed(): Promise<void> {
    if (!this.isConnected) return;
    const late = delay(FLUSH_MS, undefined, { ref: false });
    await Promise.race([this.#nats.flush().catch(() => {}), late]);
  }

  async #watch(): Promise<void> {
    for await (const status of this.#nats.status()) {
      if (status.type === "disconnect" || status.type === "staleConnection") {
        this.#set(false);
        this.#log.warn("nats disconnected");
      } else if (status.type === "reconnect") {
        this.#set(true);
        this.#log.info("nats reconnected");
      } else if (status.type === "error") this.#note(status.error);
    }
    this.#set(false);
  }

  #set(connected: boolean): void {
    if (this.#connected && !connected) this.#contact.lost(this.#nats.getServer());
    this.#connected = connected;
    for (const listener of this.#listeners) listener(connected);
  }

  #note(error: Error): void {
    if (error instanceof PermissionViolationError && error.operation === "publish") this.#onRefusal(error);
    const refusal = describeRefusal(error);
    if (refusal === undefined) {
      this.#log.warn({ err: error }, "nats error");
      return;
    }
    // Elsewhere a refusal often shows only as a time-out, so the reason is logged here.
    this.#refused.add(refusal);
    this.#log.error({ refusal }, "NATS does not let this user do that; load the permissions of this release");
  }
}

export function notPermitted(refused: readonly string[], cause?: unknown): StartError {
  const doThis = "load the permissions of this release (deploy/nats/README.md)";
  const why = `NATS does not let this user ${refused.join(", ")}: ${doThis}`;
  return new StartError("nats_rights", why, { cause });
}
