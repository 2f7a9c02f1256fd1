import { randomBytes } from "node:crypto";
import { type StampedeClient, StampedeError } from "#client";
import { EVENT_TYPES, type WebhookEvent } from "#contract";
import { createWebhookSecret } from "#domain";
import { listenForWebhooks } from "../listen/webhook-listener.ts";

const DESCRIPTION = "made by stampede demo";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** What shells say of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/** A webhook for the time of one run, whose receiver is the demo itself. */
export interface OwnWebhook {
  /** Removes it. */
  end(): Promise<void>;
}

/**
 * Registers a webhook of this machine for all types of events and has it tested.
 * @param take is given every event as it comes
 * @param refuse is told why a request was refused that should have been a delivery
 * @returns why there is none, if nothing can be sent here
 */
export async function openWebhook(
  client: StampedeClient,
  take: (event: WebhookEvent) => void,
  refuse: (reason: string) => void,
): Promise<OwnWebhook | string> {
  await removeAbandoned(client);
  // Of our own, so that it is known before the first delivery can come.
  const secret = createWebhookSecret(randomBytes(32));
  const listener = await listenForWebhooks(0, secret, { take, refused: ({ message }) => refuse(message) });
  let id: string | undefined;
  let registering: Promise<string | undefined> | undefined;
  const end = async (): Promise<void> => {
    for (const name of SIGNALS) process.off(name, interrupted);
    try {
      // Ctrl-C may come before its id is known.
      id ??= await registering?.catch(() => undefined);
      if (id !== undefined) await client.call("webhook/delete", { id });
    } finally {
      await listener.close();
    }
  };
  // A run that is cut off takes its webhook along; a second Ctrl-C does not wait for that.
  const interrupted = () => void end().finally(() => process.exit(INTERRUPTED));
  for (const name of SIGNALS) process.once(name, interrupted);
  let reason: string | undefined;
  try {
    registering = register(client, listener.url, secret);
    id = await registering;
    reason = id === undefined ? "webhooks may not be sent to this machine" : await tryOut(client, id);
  } catch (error) {
    await end();
    throw error;
  }
  if (reason === undefined) return { end };
  await end();
  return reason;
}

/** The new webhook's id. undefined: the installation does not take such a target. */
async function register(client: StampedeClient, url: string, secret: string): Promise<string | undefined> {
  const webhook = { url, secret, events: [...EVENT_TYPES], description: DESCRIPTION };
  try {
    return (await client.call("webhook/create", webhook)).id;
  } catch (error) {
    if (error instanceof StampedeError && error.code === "bad_request") return undefined;
    throw error;
  }
}

/** Why a test does not arrive; undefined: it does. */
async function tryOut(client: StampedeClient, id: string): Promise<string | undefined> {
  try {
    const { delivered, error_class } = await client.call("webhook/test", { id });
    return delivered ? undefined : `a test of them ended with ${error_class}`;
  } catch (error) {
    if (error instanceof StampedeError && error.code === "unavailable") return "no process sends webhooks";
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
