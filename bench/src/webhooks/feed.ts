import { setTimeout as delay } from "node:timers/promises";
import { makeBenchEvent } from "./bench-event.ts";
import { monotonicMs } from "./receiver-messages.ts";
import type { WebhookScene } from "./webhook-scene.ts";

/**
 * Gives each of some webhooks an event, and the next one when that has arrived, so that every delivery has one event and
 * every webhook always has something to do. All events that are due are written together, as the reward engine would.
 */
export class Feed {
  /** How many each webhook was given so far. */
  readonly sent: number[];
  readonly #scene: WebhookScene;
  readonly #arrived: number[];
  #open = 0;
  #due: number[] = [];
  #wake = (): void => {};
  #arrivals: number[] = [];

  constructor(scene: WebhookScene) {
    this.#scene = scene;
    this.sent = scene.organisations.map(() => 0);
    this.#arrived = scene.organisations.map(() => 0);
    scene.receiver.listen((arrivals) => {
      for (const { webhook, events, atMs } of arrivals) {
        this.#arrived[webhook] = (this.#arrived[webhook] as number) + events;
        if (webhook >= this.#open || events === 0) continue;
        this.#arrivals.push(atMs);
        this.#due.push(webhook);
      }
      this.#wake();
    });
  }

  /**
   * Runs webhooks 0 to `webhooks - 1` for a while.
   * @returns deliveries a second
   */
  async run(webhooks: number, times: { warmUpSeconds: number; seconds: number }): Promise<number> {
    this.#open = webhooks;
    this.#arrivals = [];
    this.#due = Array.from({ length: webhooks }, (_, webhook) => webhook);
    const startMs = monotonicMs() + times.warmUpSeconds * 1000;
    const endMs = startMs + times.seconds * 1000;
    while (monotonicMs() < endMs) {
      if (this.#due.length === 0) await this.#news(endMs);
      else await this.give(this.#due.splice(0));
    }
    this.#open = 0;
    const measured = this.#arrivals.filter((atMs) => atMs >= startMs && atMs < endMs).length;
    await this.whenArrived();
    return measured / times.seconds;
  }

  /** One event for each of these. */
  async give(webhooks: readonly number[]): Promise<void> {
    const events = webhooks.map((webhook) => {
      const number = (this.sent[webhook] as number) + 1;
      this.sent[webhook] = number;
      return makeBenchEvent(this.#scene.organisations[webhook] as string, number);
    });
    await this.#scene.write(events);
  }

  /** Until all that was given has come. */
  async whenArrived(): Promise<void> {
    while (this.sent.some((events, webhook) => events > (this.#arrived[webhook] as number))) {
      await this.#news(Number.POSITIVE_INFINITY);
    }
  }

  /** Until something arrives, or `endMs`. */
  async #news(endMs: number): Promise<void> {
    const news = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (!Number.isFinite(endMs)) return news;
    const waiting = new AbortController();
    const end = delay(Math.max(0, endMs - monotonicMs()), undefined, waiting).catch(() => {});
    await Promise.race([news, end]);
    waiting.abort();
  }
}
