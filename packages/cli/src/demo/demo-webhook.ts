import { type StampedeClient, StampedeError } from "#client";
import type { WebhookEvent } from "#contract";
import { EXIT_INTERRUPTED } from "../interrupted.ts";
import { openOwnWebhook } from "../listen/own-webhook.ts";

const DESCRIPTION = "made by stampede demo";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Registers a webhook for all types of events, with the demo as its receiver, and tests it.
 * @param take called with every event
 * @param refuse called with the reason if a request does not verify
 * @returns an `end` that removes the webhook; or why webhooks cannot be sent to this machine
 */
export async function openWebhook(
  client: StampedeClient,
  take: (event: WebhookEvent) => void,
  refuse: (reason: string) => void,
): Promise<{ end(): Promise<void> } | string> {
  await removeAbandoned(client);
  const opening = openOwnWebhook(client, {
    description: DESCRIPTION,
    port: 0,
    take,
    refused: ({ message }) => refuse(message),
  });
  const end = async (): Promise<void> => {
    for (const name of SIGNALS) process.off(name, interrupted);
    // Ctrl-C may come before it is registered.
    const webhook = await opening.catch(() => undefined);
    await webhook?.end();
  };
  // A run that is cut off removes its webhook; a second Ctrl-C does not wait for that.
  const interrupted = () => void end().finally(() => process.exit(EXIT_INTERRUPTED));
  for (const name of SIGNALS) process.once(name, interrupted);
  let reason: string | undefined;
  try {
    const webhook = await opening.catch(unlessRefused);
    reason =
      webhook === undefined ? "webhooks may not be sent to this machine" : await tryOut(client, webhook.id);
  } catch (error) {
    await end();
    throw error;
  }
  if (reason === undefined) return { end };
  await end();
  return reason;
}

/** The installation refuses the target. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof StampedeError) || error.code !== "bad_request") throw error;
}

/** @returns why a test does not arrive; undefined if it does */
async function tryOut(client: StampedeClient, id: string): Promise<string | undefined> {
  try {
    const { delivered, error_class } = await client.call("webhook/test", { id });
    return delivered ? undefined : `a test of them ended with ${error_class}`;
  } catch (error) {
    if (error instanceof StampedeError && error.code === "unavailable") return "no process sends webhooks";
    throw error;
  }
}

/** Removes webhooks of runs that were cut off: nothing listens at their addresses. */
async function removeAbandoned(client: StampedeClient): Promise<void> {
  const { data } = await client.call("webhook/list", {});
  for (const { id, description, failing_since } of data) {
    if (description === DESCRIPTION && failing_since !== undefined)
      await client.call("webhook/delete", { id });
  }
}
