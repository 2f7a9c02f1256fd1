import { StampedeClient, StampedeError, WebhookVerificationError } from "#client";
import { isWebhookSecret } from "#domain";
import { CommandError } from "../command-error.ts";
import { aborted } from "../interrupted.ts";
import { INTERACTIVE, type PublisherAccess } from "../publisher-access.ts";
import type { Terminal } from "../terminal.ts";
import { openOwnWebhook } from "./own-webhook.ts";
import { printEvent } from "./print-event.ts";
import { listenForWebhooks, type Receiver } from "./webhook-listener.ts";

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
  const { webhook, port, json } = request;
  const receiver: Receiver = {
    take: (event) => terminal.out(printEvent(event, json, terminal.isOutTerminal)),
    refused: (error) => {
      if (error instanceof WebhookVerificationError)
        terminal.err(`refused a request (${error.code}): ${error.message}`);
    },
  };
  if (!("secret" in webhook)) return receiveOwn({ ...webhook, port }, receiver, terminal, signal);
  if (!isWebhookSecret(webhook.secret)) {
    throw new CommandError(
      "--secret takes the secret of a webhook, whsec_ and base64, as webhook/create returns it",
    );
  }
  const listener = await listenForWebhooks(port, webhook.secret, receiver);
  terminal.err(`listening on ${listener.url}; end it with Ctrl-C`);
  await aborted(signal);
  await listener.close();
}

/** Keeps a webhook with all types of events until the signal aborts. */
async function receiveOwn(
  { baseUrl, token, port }: PublisherAccess & Pick<ReceiveRequest, "port">,
  receiver: Receiver,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const client = new StampedeClient({ baseUrl, token, ...INTERACTIVE });
  try {
    const webhook = await openOwnWebhook(client, { description: "stampede listen", port, ...receiver });
    const { id, url } = webhook;
    terminal.err(`listening on ${url} as webhook ${id}, which is removed at the end: Ctrl-C`);
    await aborted(signal);
    await webhook.end().catch((error: unknown) => {
      // It was removed meanwhile.
      if (error instanceof StampedeError && error.code === "not_found") return;
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandError(
        `the webhook ${id} could not be removed (${reason}): remove it with webhook/delete`,
        { cause: error },
      );
    });
  } finally {
    await client.close();
  }
}
