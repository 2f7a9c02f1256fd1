import { setTimeout as delay } from "node:timers/promises";
import { Agent } from "undici";
import { PlatformClient, PublisherClient, type RawAnswer } from "#test-support";
import type { Attempt } from "./book.ts";

/**
 * How long an integrator's client waits for an answer: longer than a late 202 takes, shorter than most
 * freezes.
 */
const TIMEOUT_MS = 8_000;
const RETRY_MS = { least: 100, most: 600 };

export type Route = "publisher" | "platform";

/** The result of one attempt. */
export interface Tried {
  readonly attempt: Attempt;
  readonly answer: RawAnswer | undefined;
}

/** Sends requests as an integrator does: to one process after the other, and again until one answers. */
export class Caller {
  /** Answers by status, and attempts without any as `none`. */
  readonly statuses: Record<string, number> = {};
  readonly #urls: Readonly<Record<Route, () => readonly string[]>>;
  readonly #tokens: Readonly<Record<Route, string>>;
  readonly #agent: Agent;
  readonly #onFailure: (error: unknown) => void;
  #turn = 0;
  #isAbandoned = false;

  /** @param agent its connections; by default many @param onFailure gets the reason for each missing answer */
  constructor(
    urls: Readonly<Record<Route, () => readonly string[]>>,
    tokens: Readonly<Record<Route, string>>,
    agent = new Agent({
      connections: 64,
      connectTimeout: 3_000,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    }),
    onFailure: (error: unknown) => void = () => {},
  ) {
    this.#urls = urls;
    this.#tokens = tokens;
    this.#agent = agent;
    this.#onFailure = onFailure;
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  async once(
    to: Route,
    route: string,
    body: object,
    headers: Record<string, string> = {},
    token = this.#tokens[to],
  ): Promise<Tried> {
    const urls = this.#urls[to]();
    const url = urls[this.#turn++ % urls.length] as string;
    const Client = to === "publisher" ? PublisherClient : PlatformClient;
    const from = Date.now();
    let answer: RawAnswer | undefined;
    let note = "";
    try {
      answer = await new Client(url, token, this.#agent).post(route, body, headers);
      if (answer.status !== 200) note = JSON.stringify(answer.body?.error ?? answer.body ?? "").slice(0, 300);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      note = code ?? message;
      this.#onFailure(error);
    }
    const status = String(answer?.status ?? "none");
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    return { attempt: { from, until: Date.now(), url, status: answer?.status, note }, answer };
  }

  /** Repeats until an answer is neither 5xx nor 429. @throws Error when abandoned */
  async until(
    to: Route,
    route: string,
    body: object,
    headers: Record<string, string> = {},
    token?: string,
  ): Promise<RawAnswer> {
    for (;;) {
      const { answer } = await this.once(to, route, body, headers, token);
      const isRunning = answer?.body?.error?.data?.reason === "in_progress";
      if (answer !== undefined && answer.status < 500 && answer.status !== 429 && !isRunning) return answer;
      await this.pause();
    }
  }

  /** Waits between two attempts. @throws Error when abandoned */
  async pause(): Promise<void> {
    // The seed decides the content, not the timing, which is never the same twice.
    await delay(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));
    if (this.#isAbandoned) throw new Error("abandoned");
  }

  abandon(): void {
    this.#isAbandoned = true;
  }

  async close(): Promise<void> {
    this.abandon();
    await this.#agent.destroy();
  }
}
