import { type StampedeClient, StampedeError, type WebhookEvent } from "#client";
import { CommandError } from "../command-error.ts";
import { openOwnWebhook } from "../listen/own-webhook.ts";
import { pullEvents } from "../listen/pull-events.ts";
import type { EventInbox } from "./event-inbox.ts";

/** How events arrive: pulled by `event/list`, or delivered to a webhook of this machine. */
export const EVENT_WAYS = ["pull", "webhook"] as const;
export type EventWay = (typeof EVENT_WAYS)[number];

type End = () => Promise<void>;

/** Puts events into the inbox until `End` is called. Once it has resolved, no event is missed. */
export function startEvents(way: EventWay, client: StampedeClient, inbox: EventInbox): Promise<End> {
  return way === "pull" ? startPulling(client, inbox) : startReceiving(client, inbox);
}

/** Short, because the command prints how long each event took. */
const POLL_MS = 25;

async function startPulling(client: StampedeClient, inbox: EventInbox): Promise<End> {
  const controller = new AbortController();
  const { signal } = controller;
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const pull = async () => {
      const options = { client, pollMs: POLL_MS, signal, onStart: resolve, onTrouble: () => {} };
      for await (const events of pullEvents(options)) for (const event of events) inbox.add(event);
    };
    running = pull().catch((error: Error) => {
      reject(error);
      inbox.fail(error);
    });
  });
  return async () => {
    controller.abort();
    await running;
  };
}

async function startReceiving(client: StampedeClient, inbox: EventInbox): Promise<End> {
  const receiver = { take: (event: WebhookEvent) => inbox.add(event), refused: () => {} };
  try {
    const { end } = await openOwnWebhook(client, { description: "stampede simulate", port: 0, ...receiver });
    return end;
  } catch (error) {
    if (!(error instanceof StampedeError) || error.code !== "bad_request") throw error;
    throw new CommandError(
      `webhooks may not be sent to this machine (${error.message}): leave out --via webhook`,
    );
  }
}
