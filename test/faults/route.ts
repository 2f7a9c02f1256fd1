import { Agent } from "undici";
import { LIMITS } from "#contract";

/**
 * When this process last stood still for so long that a draining server may have taken its callers for gone. Such a server closes
 * silent connections, and resets what is sent at that moment.
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
 * How one caller reaches a service, over one keep-alive connection of its own: through a load balancer, or straight to
 * one process for as long as that takes connections.
 */
export class Route {
  /** What went wrong that must not. */
  readonly failures: string[] = [];
  /** Connections that a process which had ended did not take, or closed while this one stood still; only those who go straight may see it. */
  refusals = 0;
  #agent = new Agent({ connections: 1, pipelining: 1 });
  #url: string;
  readonly #name: string;
  readonly #next: ((url: string) => string) | undefined;

  /** @param next for who goes straight: where to go when `url` takes no connections any more */
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
    // A listener that closes resets what came in between its last accept and the close. As with a refusal, nothing was sent yet.
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
