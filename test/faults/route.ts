import { Agent } from "undici";
import { LIMITS } from "#contract";

/**
 * When this process last stood still for so long that a draining server may have given up its callers. Such a
 * server closes silent connections, and resets a request that is sent at that moment.
 */
let stoodStillAt = Number.NEGATIVE_INFINITY;
const LOOK_MS = 50;
let lookedAt = performance.now();
setInterval(() => {
  const now = performance.now();
  if (now - lookedAt > LIMITS.drainQuietMs / 2) stoodStillAt = now;
  lookedAt = now;
}, LOOK_MS).unref();

/**
 * How one caller reaches a service, over one keep-alive connection: through a load balancer, or straight to
 * one process for as long as that takes connections.
 */
export class Route {
  /** Failures that no client may see. */
  readonly failures: string[] = [];
  /**
   * Connections that an ended process did not take, or that were closed while this process stood still; only
   * direct callers may see them.
   */
  refusals = 0;
  #agent = new Agent({ connections: 1, pipelining: 1 });
  #url: string;
  readonly #name: string;
  readonly #next: ((url: string) => string) | undefined;

  /** @param next for direct callers: the next address when `url` takes no more connections */
  constructor(name: string, url: string, next?: (url: string) => string) {
    this.#name = name;
    this.#url = url;
    this.#next = next;
  }

  get url(): string {
    return this.#url;
  }

  get agent(): Agent {
    return this.#agent;
  }

  /** An answer that no client may get, or none at all. */
  failed(error: unknown): void {
    const { code, message } = error as { code?: string; message: string };
    // A listener that closes resets a connection that came in after its last accept. As with a refusal,
    // nothing was sent yet.
    const isNotTaken = code === "ECONNREFUSED" || (code === "ECONNRESET" && message.startsWith("connect "));
    const isClosedAtRest =
      code === "ECONNRESET" && performance.now() - stoodStillAt < 2 * LIMITS.drainQuietMs;
    if ((isNotTaken || isClosedAtRest) && this.#next !== undefined) {
      this.refusals++;
      this.#url = this.#next(this.#url);
      return;
    }
    this.failures.push(`${this.#name}: ${code} ${message}`);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
