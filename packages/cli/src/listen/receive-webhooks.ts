import { randomBytes, randomUUID } from "node:crypto";
import { StampedeClient, StampedeError, type WebhookEvent, WebhookVerificationError } from "#client";
import { EVENT_TYPES } from "#contract";
import { createWebhookSecret, isWebhookSecret } from "#domain";
import { CommandError } from "../command-error.ts";
import { aborted } from "../interrupted.ts";
import { INTERACTIVE, type PublisherAccess } from "../publisher-access.ts";
import type { Terminal } from "../terminal.ts";
import { printEvent } from "./print-event.ts";
import { listenForWebhooks } from "./webhook-listener.ts";

export interface ReceiveRequest {
  /** 0 means any free port. */
  readonly port: number;
  /** One JSON object per line instead of columns. */
  readonly json: boolean;
  /** The secret of an existing webhook; or where to register one for the time of the command. */
  readonly webhook: { readonly secret: string } | PublisherAccess;
}

/**
 * Receives deliveries on loopback until the signal aborts, checks their signatures, and prints a line to
 * `out` for each event. A request without a valid signature is refused and reported.
 */
export async function receiveWebhooks(
  request: ReceiveRequest,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { webhook, json } = request;
  // Chosen here, so that it is known before the first delivery can come.
  const secret = "secret" in webhook ? webhook.secret : createWebhookSecret(randomBytes(32));
  if (!isWebhookSecret(secret)) {
    throw new CommandError(
      "--secret takes the secret of a webhook, whsec_ and base64, as webhook/create returns it",
    );
  }
  const take = (event: WebhookEvent) => terminal.out(printEvent(event, json, terminal.isOutTerminal));
  const refused = (error: Error) => {
    if (error instanceof WebhookVerificationError)
      terminal.err(`refused a request (${error.code}): ${error.message}`);
  };
  const listener = await listenForWebhooks(request.port, secret, { take, refused }).catch(
    (cause: unknown) => {
      throw new CommandError(`cannot listen on port ${request.port}: choose another one with --port`, {
        cause,
      });
    },
  );
  const { url } = listener;
  try {
    if ("secret" in webhook) {
      terminal.err(`listening on ${url}; end it with Ctrl-C`);
      await aborted(signal);
    } else {
      await withWebhook({ ...webhook, url, secret }, terminal, signal);
    }
  } finally {
    await listener.close();
  }
}

/** Keeps a webhook with all types of events until the signal aborts. */
async function withWebhook(
  { baseUrl, token, url, secret }: PublisherAccess & { readonly url: string; readonly secret: string },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const client = new StampedeClient({ baseUrl, token, ...INTERACTIVE });
  try {
    const { id } = await client.call(
      "webhook/create",
      { url, events: [...EVENT_TYPES], description: "stampede listen", secret },
      // So that a retry after a lost answer registers no second webhook.
      { idempotencyKey: randomUUID() },
    );
    terminal.err(`listening on ${url} as webhook ${id}, which is removed at the end: Ctrl-C`);
    await aborted(signal);
    try {
      await client.call("webhook/delete", { id });
    } catch (error) {
      // It was removed meanwhile.
      if (error instanceof StampedeError && error.code === "not_found") return;
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandError(
        `the webhook ${id} could not be removed (${reason}): remove it with webhook/delete`,
        {
          cause: error,
        },
      );
    }
  } finally {
    await client.close();
  }
}
