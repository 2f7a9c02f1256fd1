import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type StampedeClient, StampedeError, verifyWebhook } from "#client";
import { EVENT_TYPES } from "#contract";
import { createWebhookSecret } from "#domain";
import { listenForWebhooks, type WebhookListener } from "../../webhook-listener.ts";
import type { JudgedSection } from "../report.ts";
import { type EventCounts, isComplete, judgeEvents, ReceivedEvents } from "./received-events.ts";

const DESCRIPTION = "made by stampede demo";
const POLL_MS = 50;

/** A webhook for the time of one run, whose receiver is the demo itself. */
export class EventRun {
  readonly #client: StampedeClient;
  readonly #listener: WebhookListener;
  readonly #webhookId: string;
  readonly #received: ReceivedEvents;

  private constructor(
    client: StampedeClient,
    listener: WebhookListener,
    webhookId: string,
    received: ReceivedEvents,
  ) {
    this.#client = client;
    this.#listener = listener;
    this.#webhookId = webhookId;
    this.#received = received;
  }

  /**
   * Registers a webhook of this machine and has it tested.
   * @param prefix of the `external_id`s of the run
   * @returns why there is none, if nothing can be sent here
   */
  static async prepare(client: StampedeClient, prefix: string): Promise<EventRun | string> {
    await removeAbandoned(client);
    const received = new ReceivedEvents(prefix);
    // Of our own, so that it is known before the first delivery can come.
    const secret = createWebhookSecret(randomBytes(32));
    const listener = await listenForWebhooks(0, (headers, body) => {
      try {
        for (const event of verifyWebhook(secret, headers, body)) received.add(event);
      } catch (error) {
        received.refuse((error as Error).message);
        throw error;
      }
    });
    const webhook = await register(client, listener.url, secret).catch(async (error: unknown) => {
      await listener.close();
      throw error;
    });
    if (webhook === undefined) {
      await listener.close();
      return "webhooks may not be sent to this machine";
    }
    const run = new EventRun(client, listener, webhook.id, received);
    const reason = await tryOut(client, webhook.id).catch(async (error: unknown) => {
      await run.end();
      throw error;
    });
    if (reason === undefined) return run;
    await run.end();
    return reason;
  }

  /** Waits until everything has come that must, but at most so long, and says what has come. */
  async judge(expected: EventCounts, settleMs: number): Promise<JudgedSection> {
    const deadline = performance.now() + settleMs;
    while (!isComplete(expected, this.#received) && performance.now() < deadline) await delay(POLL_MS);
    return judgeEvents(expected, this.#received);
  }

  async end(): Promise<void> {
    await this.#client.call("webhook/delete", { id: this.#webhookId }).finally(() => this.#listener.close());
  }
}

/** undefined: the installation does not take such a target. */
async function register(client: StampedeClient, url: string, secret: string) {
  const webhook = { url, secret, events: [...EVENT_TYPES], description: DESCRIPTION };
  try {
    return await client.call("webhook/create", webhook);
  } catch (error) {
    if (isAbout(error, "bad_request")) return undefined;
    throw error;
  }
}

/** Why a test does not arrive; undefined: it does. */
async function tryOut(client: StampedeClient, id: string): Promise<string | undefined> {
  try {
    const { delivered, error_class } = await client.call("webhook/test", { id });
    return delivered ? undefined : `a test of them ended with ${error_class}`;
  } catch (error) {
    if (isAbout(error, "unavailable")) return "no process sends webhooks";
    throw error;
  }
}

/** Those of runs that were cut off: nobody listens there any more. */
async function removeAbandoned(client: StampedeClient): Promise<void> {
  const { data } = await client.call("webhook/list", {});
  for (const { id, description, failing_since } of data) {
    if (description === DESCRIPTION && failing_since !== undefined)
      await client.call("webhook/delete", { id });
  }
}

function isAbout(error: unknown, code: StampedeError["code"]): boolean {
  return error instanceof StampedeError && error.code === code;
}
