import { verifyWebhook, type WebhookEvent } from "#client";
import { createHttpServer } from "#http";
import { CommandError } from "../command-error.ts";

const HOST = "127.0.0.1";
const SIGNATURE_HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/** A receiver of webhooks on this machine. */
interface WebhookListener {
  readonly url: string;
  close(): Promise<void>;
}

export interface Receiver {
  take(event: WebhookEvent): void;
  /** Called for a request that was not signed with the secret, or an event that `take` threw at. */
  refused(error: Error): void;
}

/**
 * Listens on this machine. Answers 204 to a request that the secret signs, once all its events are taken, and 400 with the
 * reason to others.
 * @param port 0 means any free port
 * @throws CommandError if the port is taken
 */
export async function listenForWebhooks(
  port: number,
  secret: string,
  receiver: Receiver,
): Promise<WebhookListener> {
  const server = createHttpServer({
    adapter: "node",
    wantedHeaders: SIGNATURE_HEADERS,
    api: {
      admit: (request) => ({
        sender: "",
        handle: (body, respond) => {
          const headers = Object.fromEntries(SIGNATURE_HEADERS.map((name) => [name, request.header(name)]));
          try {
            for (const event of verifyWebhook(secret, headers, body)) receiver.take(event);
            respond({ status: 204, body: "" });
          } catch (error) {
            const { message } = error as Error;
            receiver.refused(error as Error);
            respond({ status: 400, headers: { "content-type": "text/plain" }, body: message });
          }
        },
      }),
    },
    onFault: () => {},
    onNotice: () => {},
  });
  const taken = await server.start({ host: HOST, port }).catch((cause: unknown) => {
    if (port === 0) throw cause;
    throw new CommandError(`cannot listen on port ${port}: choose another one with --port`, { cause });
  });
  return { url: `http://${HOST}:${taken}`, close: () => server.close(0) };
}
