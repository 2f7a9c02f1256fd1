import { Agent } from "undici";

/**
 * How one caller reaches a service, over one keep-alive connection of its own: through a load balancer, or straight to
 * one process for as long as that takes connections.
 */
export class Route {
  /** What went wrong that must not. */
  readonly failures: string[] = [];
  /** Connections that a process which had ended did not take; only those who go straight to one may see it. */
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

  /** An answer that nobody may get, or none at all. */
  failed(error: unknown): void {
    const { code, message } = error as { code?: string; message: string };
    // A listener that closes resets what came in between its last accept and the close. As with a refusal, nothing was sent yet.
    const isNotTaken = code === "ECONNREFUSED" || (code === "ECONNRESET" && message.startsWith("connect "));
    if (isNotTaken && this.#next !== undefined) {
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
