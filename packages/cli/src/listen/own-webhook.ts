import { randomBytes } from "node:crypto";
import type { StampedeClient } from "#client";
import { EVENT_TYPES } from "#contract";
import { createWebhookSecret } from "#domain";
import { listenForWebhooks, type Receiver } from "./webhook-listener.ts";

/** A webhook for the time of a command, which receives it itself. */
interface OwnWebhook {
  readonly id: string;
  readonly url: string;
  /** Removes the webhook, and stops listening even if that fails. */
  end(): Promise<void>;
}

/**
 * Registers a webhook for all types of events, with this process as its receiver.
 * @param options.port 0 means any free port
 * @throws StampedeError `bad_request` if webhooks may not be sent to this machine
 */
export async function openOwnWebhook(
  client: StampedeClient,
  { description, port, ...receiver }: { readonly description: string; readonly port: number } & Receiver,
): Promise<OwnWebhook> {
  // Chosen here, so that it is known before the first delivery can come.
  const secret = createWebhookSecret(randomBytes(32));
  const { url, close } = await listenForWebhooks(port, secret, receiver);
  try {
    const webhook = { url, secret, events: [...EVENT_TYPES], description };
    // The client's own idempotency key keeps a retry after a lost answer from registering a second one.
    const { id } = await client.call("webhook/create", webhook);
    const end = () =>
      client
        .call("webhook/delete", { id })
        .then(() => {})
        .finally(close);
    return { id, url, end };
  } catch (error) {
    await close();
    throw error;
  }
}
